import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker as Thread } from "node:worker_threads";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import { Conversations } from "../../src/client/conversations.js";
import { createWorker } from "../../src/worker/create-worker.js";
import { collect } from "../support/collect.js";
import { fileStack } from "../support/file-stack.js";
import { guardChild } from "../support/guard-child.js";
import { AGENT, ANSWER, expectCommittedOnce, startLongTurn } from "../support/long-turn.js";
import { holderOf } from "../support/temporal-view.js";

/** Nothing here takes so long but on a machine that has too much to do. */
vi.setConfig({ testTimeout: 90_000 });

const { stack, conversations } = await fileStack({ workers: 0 });
let session: Conversation;

afterEach(async () => {
  await Promise.all(stack.workers.map((worker) => worker.kill()));
  await rm(journalOf(), { recursive: true, force: true });
});

const journalOf = (name = "journal"): string => join(stack.folder, ".holdfast", name);

/** The entries that lie in a journal, by name. */
async function entriesOf(name?: string): Promise<readonly string[]> {
  return (await readdir(journalOf(name))).filter((file) => /\.(json|claim)$/.test(file));
}

/** In a conversation of its own. */
async function startTurn(ms: number): Promise<void> {
  session = await conversations.start(AGENT);
  await startLongTurn(stack, session, ms);
}

/** Milliseconds from now until the provider is called again. */
async function nextCall(calls: number): Promise<number> {
  const from = Date.now();
  await expect.poll(() => stack.simulator.calls.length, { interval: 10 }).toBe(calls);
  return Date.now() - from;
}

describe("a worker that is ended in good order", () => {
  it("WRK-321 ends when it is told to before it runs, or the moment it begins to", async () => {
    const connected = { cwd: stack.folder, env: stack.stack.workerEnv };
    const before = await createWorker(connected);
    before.shutdown();
    expect(await before.run()).toBeUndefined();
    const beginning = await createWorker(connected);
    const running = beginning.run();
    beginning.shutdown();
    expect(await running).toBeUndefined();
  });

  it("WRK-340 that cannot be made leaves no listener behind", async () => {
    const { address } = stack.stack.server;
    const before = process.listenerCount("unhandledRejection");
    const making = createWorker({
      address,
      cwd: stack.folder,
      taskQueue: "__temporal_mine",
      env: process.env,
    });
    await expect(making).rejects.toThrow("__temporal_mine");
    expect(process.listenerCount("unhandledRejection")).toBe(before);
  });

  it("WRK-352 that finds no server leaves no sandbox behind", async () => {
    const before = process.listenerCount("unhandledRejection");
    const making = createWorker({ address: "127.0.0.1:1", cwd: stack.folder, env: process.env });
    await expect(making).rejects.toThrow("No Temporal server answers");
    expect(process.listenerCount("unhandledRejection")).toBe(before);
  });

  it("WRK-420 runs its conversations in its own thread, stacks and rejections of the process as they were", async () => {
    const threads: Thread[] = [];
    const note = (thread: Thread): void => void threads.push(thread);
    const hooks = () => [Error.prepareStackTrace, process.listenerCount("unhandledRejection")];
    const before = hooks();
    process.on("worker", note);
    const taskQueue = "own-thread";
    const worker = await createWorker({ cwd: stack.folder, env: stack.stack.workerEnv, taskQueue });
    const ended = worker.run();
    try {
      const place = { cwd: stack.folder, env: { ...process.env, ...stack.stack.workerEnv }, taskQueue };
      await using client = await Conversations.connect(place);
      const answered = await client.start(AGENT);
      expect((await answered.run("Short")).output).not.toBe("");
      expect(Error.prepareStackTrace).toBe(before[0]);
    } finally {
      worker.shutdown();
      await ended;
      process.off("worker", note);
    }
    expect(threads).toEqual([]);
    expect(hooks()).toEqual(before);
  });

  it("WRK-322 is no part of a program with a server of its own: a signal ends that, and what it asked is there at the next start", async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-embedded-"));
    try {
      const program = join(import.meta.dirname, "../support/embedded-process.ts");
      const child = spawn(process.execPath, [program], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
      guardChild(child, "KILL");
      const exited = once(child, "exit");
      await once(child.stdout, "data");
      child.kill("SIGTERM");
      expect(await exited).toEqual([null, "SIGTERM"]);
      await using again = await Conversations.connect({ embedded: true, simulate: true, cwd: folder });
      const asked = await again.open("asked");
      expect(await asked.turn("t1").result()).toMatchObject({
        output: expect.stringContaining("Are you there?"),
      });
      expect(await asked.messages()).toHaveLength(2);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  });

  it("WRK-320 hears first that the turn which it has just answered is committed", async () => {
    const worker = await stack.startWorker();
    session = await conversations.start(AGENT);
    await session.run("hello");
    await worker.kill("SIGTERM");
    const { history } = await conversations.temporal.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: conversations.settings.namespace,
      execution: { workflowId: session.id },
      maximumPageSize: 1,
    });
    expect(history?.events?.[0]?.workflowTaskCompletedEventAttributes).toBeTruthy();
  });
});

describe("a call whose worker is killed in the middle", () => {
  it("JRN-1 is made again within two seconds by a sibling on the same machine", async () => {
    const workers = await Promise.all([stack.startWorker(), stack.startWorker()]);
    await startTurn(2_000);
    await (await holderOf(conversations, session.id, workers)).kill();
    const took = await nextCall(2);
    console.log(`  a sibling made the call again after ${took} ms`);
    expect(took).toBeLessThan(4_000);
    expect(await session.turn("t1").result()).toMatchObject({ attempt: 2, providerCalls: 2 });
    await expectCommittedOnce(session);
    await expect.poll(() => entriesOf()).toEqual([]);
  });

  it("JRN-1 is made again by a worker that starts on the machine", async () => {
    const first = await stack.startWorker();
    await startTurn(1_500);
    await first.kill();
    await stack.startWorker();
    const took = await nextCall(2);
    console.log(`  a worker that started made the call again after ${took} ms`);
    expect(took).toBeLessThan(3_500);
    expect(await session.turn("t1").result()).toMatchObject({ attempt: 2, providerCalls: 2 });
    await expectCommittedOnce(session);
  });

  it("JRN-2 is made again by a worker elsewhere once its heartbeat is missed", async () => {
    const first = await stack.startWorker();
    const elsewhere = await stack.startWorker({ HOLDFAST_JOURNAL: journalOf("elsewhere") });
    await startTurn(1_500);
    const holder = await holderOf(conversations, session.id, [first, elsewhere]);
    await holder.kill();
    const took = await nextCall(2);
    console.log(`  a worker elsewhere made the call again after ${took} ms`);
    expect(took).toBeLessThan(9_000);
    expect(await session.turn("t1").result()).toMatchObject({ attempt: 2, providerCalls: 2 });
  });
});

describe("a reply that had arrived whole", () => {
  it.each([
    ["answered", 2],
    ["journaled", 1],
    ["acknowledged", 1],
  ] as const)("JRN-3 when its worker is killed (%s) is paid %i times", async (point, paid) => {
    const first = await stack.startWorker({ HOLDFAST_TEST_STOP_AT: point });
    session = await conversations.start(AGENT);
    stack.simulator.script({ reply: { text: ANSWER }, times: null });
    await session.submit("quick", { turnId: "t1" });
    await first.stopped();
    await first.kill();
    const frames = collect(session.turn("t1").stream());
    await stack.startWorker();
    const result = await session.turn("t1").result();
    expect(result).toMatchObject({ output: ANSWER, providerCalls: paid, attempt: paid });
    expect(stack.simulator.calls).toHaveLength(paid);
    if (point !== "acknowledged")
      expect((await frames).at(-1)).toMatchObject({ type: "end", state: "committed", attempt: paid });
    await expectCommittedOnce(session);
    await expect.poll(() => entriesOf()).toEqual([]);
    expect((await session.run("Still there?")).messages).toEqual({ from: 2, to: 4 });
  });

  it("JRN-4 ends the attempt of another worker that is made meanwhile, whose reader sees which one won", async () => {
    const first = await stack.startWorker({ HOLDFAST_TEST_STOP_AT: "journaled" });
    session = await conversations.start(AGENT);
    stack.simulator.script({ reply: { text: ANSWER } });
    await session.submit("quick", { turnId: "t1" });
    await first.stopped();
    stack.simulator.script({ reply: { text: "Another." }, pace: { minimumReplyMs: 8_000 }, times: null });
    await first.kill();
    await stack.startWorker({ HOLDFAST_JOURNAL: journalOf("elsewhere") });
    await nextCall(2);
    const frames = collect(session.turn("t1").stream());
    await stack.startWorker();
    expect(await session.turn("t1").result()).toMatchObject({ output: ANSWER, attempt: 1 });
    expect((await frames).at(-1)).toMatchObject({ type: "end", state: "committed", attempt: 1 });
    await expectCommittedOnce(session);
    await stack.simulator.waitForCall(({ clientClosed }) => clientClosed);
  });
});

describe("a turn whose worker is killed once the server has its reply", () => {
  it("API-175 resolves where no worker is alive, and is committed by the next one", async () => {
    const worker = await stack.startWorker({ HOLDFAST_TEST_DIE_AT: "acknowledged:1" });
    session = await conversations.start(AGENT);
    stack.simulator.script({ reply: { text: ANSWER }, times: null });
    const turn = await session.submit("quick", { turnId: "t1" });
    await worker.exited;
    const told = await turn.result();
    expect(told).toMatchObject({ output: ANSWER, turnId: "t1", provider: "anthropic", attempt: 1 });
    await stack.startWorker();
    expect((await turn.view()).result?.digest).toBe(told.digest);
    await expectCommittedOnce(session);
    expect(stack.simulator.calls).toHaveLength(1);
  });
});

describe("a journal that is out of date", () => {
  it("JRN-5 does no harm to a call that another worker has taken over", async () => {
    const first = await stack.startWorker();
    await startTurn(6_000);
    await first.kill();
    const [entry] = await entriesOf();
    expect(entry).toBeDefined();
    await stack.startWorker({ HOLDFAST_JOURNAL: journalOf("elsewhere") });
    await nextCall(2);
    await stack.startWorker();
    await expect.poll(() => entriesOf()).toEqual([]);
    expect(await session.turn("t1").result()).toMatchObject({ attempt: 2, providerCalls: 2 });
    expect(stack.simulator.counters()).toMatchObject({ calls: 2, finished: 1 });
    await expectCommittedOnce(session);
  });

  it("JRN-6 or damaged, costs time only: the entry is moved aside and one line says so", async () => {
    const first = await stack.startWorker();
    await startTurn(1_500);
    await first.kill();
    const [entry = ""] = await entriesOf();
    await writeFile(join(journalOf(), entry), "\u0000".repeat(300));
    const second = await stack.startWorker();
    expect(await session.turn("t1").result()).toMatchObject({ attempt: 2, providerCalls: 2 });
    expect(second.log().match(/damaged/g)).toHaveLength(2);
    expect(second.log().trim().split("\n")).toHaveLength(1);
    expect(await readdir(join(journalOf(), "damaged"))).toHaveLength(1);
    await expectCommittedOnce(session);
  });
});

describe("a journal that cannot be kept", () => {
  it("JRN-7 is said in one line, and the worker works without", async () => {
    const folder = journalOf("open");
    await mkdir(folder);
    await chmod(folder, 0o755);
    const worker = await stack.startWorker({ HOLDFAST_JOURNAL: folder });
    session = await conversations.start(AGENT);
    expect((await session.run("Hello")).providerCalls).toBe(1);
    expect(worker.log()).toMatch(
      /^holdfast: The journal of calls .*open cannot be used: .*HOLDFAST_JOURNAL.*\n$/,
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it("JRN-8 is kept by no worker with HOLDFAST_JOURNAL=none, else in a folder of the owner's only", async () => {
    const without = await stack.startWorker({ HOLDFAST_JOURNAL: "none" });
    await expect(stat(journalOf())).rejects.toThrow("ENOENT");
    await without.kill();
    await stack.startWorker();
    await startTurn(600);
    const [entry = ""] = await entriesOf();
    expect((await stat(journalOf())).mode & 0o777).toBe(0o700);
    expect((await stat(join(journalOf(), entry))).mode & 0o777).toBe(0o600);
    await session.turn("t1").result();
    await expect.poll(() => entriesOf()).toEqual([]);
  });
});

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import { replay } from "../support/replay.js";
import { historiesOf } from "../support/short-runs.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import {
  countEvents,
  type Event,
  eventBytes,
  eventsOf,
  tasksFailedByWorker,
} from "../support/temporal-view.js";

const agent = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief." });
const SIGNALS = ["submit_turn", "rebind", "cancel_turn", "close"];
const UPDATES = ["submit_turn", "run_turn", "rebind"];
const QUERIES = [
  "turn",
  "describe",
  "status",
  "metadata",
  "prefix_change_report",
  "persistence_report",
  "messages",
  "envelope",
  "interrupted_turn",
  "conversion_report",
  "media_report",
  "transcript",
];
const NONSENSE: readonly unknown[] = [
  null,
  7,
  "text",
  [],
  {},
  { message: 7 },
  { message: "" },
  { message: "x", turn_id: {} },
  { message: "x", files: [{}] },
  { message: "x", on_busy: "now" },
  { agent: null },
  { agent: { model: 7 } },
  { agent: { model: "claude-haiku-4-5", tools: [null] } },
  { agent: { model: "claude-haiku-4-5", params: "hot" } },
  { turn_id: 7 },
  { from: -1, limit: "all", part: {} },
  { counts: "none" },
];

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const json = { encoding: bytes("json/plain") };
const UNDECODABLE = {
  "broken JSON": { payloads: [{ metadata: json, data: bytes('{"message": ') }] },
  "an unknown encoding": { payloads: [{ metadata: { encoding: bytes("x/unheard") }, data: bytes("?") }] },
  "no encoding": { payloads: [{ data: bytes("?") }] },
  "an empty payload": { payloads: [{}] },
  "no data": { payloads: [{ metadata: json }] },
};

let stack: TestStack;
let conversations: Conversations;
let session: Conversation;

beforeAll(async () => {
  stack = await startTestStack({ bounds: { retryDelaysMs: [10] }, simulate: { contextTokens: 5_000_000 } });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());
beforeEach(async () => {
  stack.simulator.reset();
  session = await conversations.start(agent);
});

const handle = () => conversations.temporal.workflow.getHandle(session.id);

async function signalRaw(signalName: string, input: object | undefined): Promise<void> {
  await conversations.temporal.workflowService.signalWorkflowExecution({
    namespace: conversations.settings.namespace,
    workflowExecution: { workflowId: session.id },
    signalName,
    ...(input === undefined ? {} : { input }),
  });
}

/** It answers, and no workflow task has failed. */
async function expectUnharmed(): Promise<void> {
  expect((await session.run("Are you well?")).output).toContain("Are you well?");
  expect(tasksFailedByWorker(await eventsOf(conversations, session.id))).toEqual([]);
}

describe("a conversation that is sent", () => {
  it("WFL-20 signals that cannot be decoded records them and goes on; none of them stops a turn", async () => {
    stack.simulator.script({ match: { text: "slow" }, reply: { text: "whole" }, pace: { delayMs: 700 } });
    const turn = await session.submit("slow");
    await stack.simulator.waitForCall(({ lastUserText }) => lastUserText === "slow");
    const refusable = SIGNALS.filter((name) => name !== "close");
    for (const name of refusable) {
      for (const input of Object.values(UNDECODABLE)) await signalRaw(name, input);
    }
    for (const name of ["submit_turn", "rebind"]) await signalRaw(name, undefined);
    expect((await turn.result()).output).toBe("whole");
    const { refusals } = await session.status();
    const count = (wanted: string): number => refusals.filter(({ name }) => name === wanted).length;
    expect(refusable.map((name) => [name, count(name)])).toEqual([
      ["submit_turn", 6],
      ["rebind", 6],
      ["cancel_turn", 5],
    ]);
    await expectUnharmed();
    expect((await session.status()).run_count).toBe(2);
  });

  it("WFL-21 a close with whatever payload closes it, with its last envelope", async () => {
    await session.run("First");
    await signalRaw("close", UNDECODABLE["broken JSON"]);
    await handle().result();
    expect(await (await conversations.open(session.id)).status()).toMatchObject({ run_count: 1 });
  });

  it("WFL-22 nonsense by update or query answers each with one line and goes on", async () => {
    for (const nonsense of NONSENSE) {
      for (const name of UPDATES) {
        const refused = await handle()
          .executeUpdate(name, { args: [nonsense] })
          .catch((error: unknown) => error);
        expect(refused, `${name} ${JSON.stringify(nonsense)}`).toMatchObject({
          cause: { type: expect.stringMatching(/Error$/), message: expect.stringMatching(/^[^\n]{10,600}$/) },
        });
      }
      for (const name of QUERIES) {
        await handle()
          .query(name, nonsense)
          .catch((error: unknown) => expect(String(error)).toMatch(/^[^\n]{10,600}$/));
      }
    }
    await expectUnharmed();
  });

  it("WFL-23 what it has no name for refuses it and goes on", async () => {
    await signalRaw("explode", UNDECODABLE["broken JSON"]);
    await expect(handle().executeUpdate("explode", { args: [{}] })).rejects.toThrow();
    await expect(handle().query("explode")).rejects.toThrow();
    await expect
      .poll(async () => (await session.status()).refusals)
      .toMatchObject([{ name: "explode", reason: "unknown_signal" }]);
    await expectUnharmed();
  });

  /** Signals that a completed workflow task has handled. */
  async function signalsTaken(): Promise<number> {
    // So many make the conversation go on in a new run meanwhile.
    const runs = await historiesOf(conversations, session.id);
    const events = runs.flatMap(({ events: ofRun }) => ofRun ?? []);
    const last = events.findLastIndex(({ workflowTaskCompletedEventAttributes: done }) => done != null);
    return countEvents(events.slice(0, last), "EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED");
  }

  it("WFL-24 five hundred signals at once remembers the last twenty refusals and goes on", async () => {
    const names = [...SIGNALS.filter((name) => name !== "close"), "explode"];
    await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        signalRaw(names[index % names.length] ?? "", UNDECODABLE["broken JSON"]),
      ),
    );
    await expect.poll(signalsTaken, { timeout: 25_000, interval: 500 }).toBe(500);
    expect((await session.status()).refusals).toHaveLength(20);
    await expectUnharmed();
  });
});

describe("a workflow that is started by hand", () => {
  it.each([
    ["no head", []],
    ["a head of nothing but its layout", [{ layout: 1 }]],
    ["that and half a segment", [{ layout: 1 }, { messages: [], turn_index: [] }]],
    ["half a head", [{ layout: 1, conversation_id: "other", agent: {}, queue: "x" }]],
  ])("WFL-381 with %s fails in one line, and no workflow task does", async (_what, args) => {
    const workflowId = `by-hand-${crypto.randomUUID()}`;
    const { taskQueue } = conversations.settings;
    const started = await conversations.temporal.workflow.start("conversation", {
      taskQueue,
      workflowId,
      args,
    });
    await expect(started.result()).rejects.toMatchObject({
      cause: {
        type: "UsageError",
        message: expect.stringMatching(/^A conversation starts from its head[^\n]+$/),
      },
    });
    expect(tasksFailedByWorker(await eventsOf(conversations, workflowId))).toEqual([]);
  });
});

describe("a conversation whose stack is asked for", () => {
  it("WRK-361 has none to show, says so and goes on", async () => {
    await session.run("Short");
    await expect(handle().query("__stack_trace")).rejects.toThrow("stack traces are not enabled");
    await expectUnharmed();
  });
});

describe("a conversation that is asked by many who want to be told", () => {
  /** A worker takes them all in one workflow task, and of one turn. */
  async function asked(times: number, address: (asker: number) => string): Promise<readonly Event[]> {
    await session.run("Short", { turnId: "q1" });
    for (const worker of stack.workers) await worker.kill();
    for (let sent = 0; sent < times; sent += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          handle().signal("submit_turn", {
            message: "Once more?",
            turn_id: "q1",
            reply_to: { workflow_id: address(sent + index) },
          }),
        ),
      );
    await stack.startWorker();
    await expectUnharmed();
    await session.close();
    return (await historiesOf(conversations, session.id)).flatMap(({ events }) => events ?? []);
  }

  it("WFL-390 of a turn that has ended, by 2,100 signals for one address, tells it and goes on", async () => {
    const events = await asked(2_100, () => "asker-that-is-gone");
    expect(countEvents(events, "EVENT_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED")).toBeLessThan(150);
  }, 120_000);

  it("WFL-390 for 300 addresses tells each of them, 50 at once", async () => {
    const events = await asked(300, (asker) => `asker-${asker}`);
    const told = events.flatMap(({ signalExternalWorkflowExecutionInitiatedEventAttributes: signal }) =>
      signal == null ? [] : [signal.workflowExecution?.workflowId],
    );
    expect(told.toSorted()).toEqual(Array.from({ length: 300 }, (_, asker) => `asker-${asker}`).toSorted());
    let underWay = 0;
    const most = events.map((event) => {
      if (event.signalExternalWorkflowExecutionInitiatedEventAttributes != null) underWay++;
      if (event.signalExternalWorkflowExecutionFailedEventAttributes != null) underWay--;
      return underWay;
    });
    expect(Math.max(...most)).toBe(50);
    await replay(conversations, session.id);
  }, 120_000);
});

describe("a conversation whose provider", () => {
  it("WFL-25 fails with three megabytes keeps two KiB of them, and makes its six calls", async () => {
    stack.simulator.script({ fault: { kind: "huge_error" }, times: null });
    const failure = await session.run("First").catch((error: unknown) => error);
    expect(failure).toMatchObject({ record: { error_type: "provider.server_error", attempts: 6 } });
    const { error } = (await session.interruptedTurn()) ?? { error: "" };
    expect(Buffer.byteLength(error)).toBeLessThanOrEqual(2_048);
    expect(error).toContain("Anthropic");
    expect(stack.simulator.calls).toHaveLength(6);
    const events = await eventsOf(conversations, session.id);
    expect(Math.max(...events.map(eventBytes))).toBeLessThan(16 * 1024);
    stack.simulator.reset();
    await expectUnharmed();
  });

  it("WFL-26 answers two megabytes to one megabyte gives them whole, and no event is large", async () => {
    const question = "Why? ".repeat(200_000);
    const answer = "Because. ".repeat(230_000);
    stack.simulator.script({ reply: { text: answer }, pace: { chunkSize: 64 * 1024 } });
    const result = await session.run(question);
    expect(result.output === answer).toBe(true);
    const [asked] = await session.messages({ from: 0, limit: 1 });
    expect(JSON.stringify(asked).includes(question)).toBe(true);
    const events = await eventsOf(conversations, session.id);
    expect(Math.max(...events.map(eventBytes))).toBeLessThanOrEqual(256 * 1024);
    await expectUnharmed();
  });
});

describe("a conversation whose payload store", () => {
  afterEach(async () => {
    if (stack.workers.length > 1) await stack.workers.at(-1)?.kill();
  });

  it("WFL-27 has lost a payload says so, naming the store, instead of hanging", async () => {
    await session.run("Why? ".repeat(50_000));
    await session.status();
    await stack.workers.at(-1)?.kill();
    const payloads = join(stack.folder, ".holdfast/payloads");
    for (const name of await readdir(payloads)) await rm(join(payloads, name), { recursive: true });
    await stack.startWorker();
    await expect(session.status()).rejects.toThrow(/payload.*HOLDFAST_PAYLOAD_STORE/);
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client, Connection } from "@temporalio/client";
import { bundleWorkflowCode, DefaultLogger, Worker } from "@temporalio/worker";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import { HoldfastPlugin } from "../../src/worker/holdfast-plugin.js";
import { collect } from "../support/collect.js";
import { quieten } from "../support/replay.js";
import { startTestStack, type TestStack } from "../support/stack.js";

const support = join(import.meta.dirname, "../support");
const workflowsPath = join(support, "their-workflows.ts");
const taskQueue = "theirs";

let stack: TestStack;
let client: Client;
let conversations: Conversations;
let worker: ChildProcess;
let output = "";
const parts = new AsyncDisposableStack();

async function startWorker(): Promise<ChildProcess> {
  const { address, namespace } = stack.stack.server;
  const child = spawn(process.execPath, [join(support, "plugin-process.ts"), workflowsPath], {
    cwd: stack.folder,
    env: {
      ...process.env,
      TEST_ADDRESS: address,
      TEST_NAMESPACE: namespace,
      TEST_TOOLS: join(support, "test-tools.ts"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  parts.defer(async () => void (await end(child, "SIGKILL")));
  while (!output.includes("ready\n")) {
    if (child.exitCode !== null) throw new Error(`The worker ended before it was ready: ${output}`);
    await delay(20);
  }
  output = "";
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const exited = once(child, "exit");
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  child.kill(signal);
  await exited;
  return child.exitCode;
}

beforeAll(async () => {
  stack = await startTestStack({ workers: 0 });
  parts.defer(() => stack.stop());
  const { address, namespace } = stack.stack.server;
  const connection = await Connection.connect({ address });
  parts.defer(() => connection.close());
  const plugin = new HoldfastPlugin({ cwd: stack.folder });
  client = new Client({ connection, namespace, plugins: [plugin] });
  conversations = await Conversations.connect({ client, taskQueue, cwd: stack.folder });
  parts.use(conversations);
  worker = await startWorker();
});
afterAll(() => parts.disposeAsync());
beforeEach(() => stack.simulator.reset());

/** A round of a look-up and a payment, which waits for approval above 10. */
function scriptPurchase(amount: number): void {
  const toolCalls = [
    { name: "look", arguments: { key: "price" } },
    { name: "pay", arguments: { amount } },
  ];
  stack.simulator.script({ reply: { toolCalls } }, { reply: { text: "Bought." } });
}

/** One that a workflow is about to start. */
async function openSoon(id: string): Promise<Conversation> {
  for (;;) {
    const session = await conversations.open(id).catch(() => undefined);
    if (session !== undefined) return session;
    await delay(50);
  }
}

const execute = <T>(type: string, id: string, ...args: unknown[]): Promise<T> =>
  client.workflow.execute(type, { taskQueue, workflowId: `parent-of-${id}`, args }) as Promise<T>;

describe("somebody's own worker with the plugin", () => {
  it("WRK-1 runs their workflows and activities as before", async () => {
    expect(await execute("doubled", "none", 21)).toBe(42);
  });

  it("WRK-17 calls the simulator of the `dev --simulate` of its folder, without a setting", async () => {
    stack.simulator.script({ reply: { text: "From the simulator." } });
    const session = await conversations.start(new Agent({ model: "claude-haiku-4-5" }));
    expect(await session.run("Who answers?")).toMatchObject({
      output: "From the simulator.",
      simulated: true,
    });
  });

  it("WRK-1 answers conversations of a client of theirs, with frames, and leaves the client open", async () => {
    stack.simulator.script({ reply: { text: "The seller bears the risk." } });
    const others = await Conversations.connect({ client, taskQueue, cwd: stack.folder });
    const session = await others.start(new Agent({ model: "claude-haiku-4-5" }));
    const turn = await session.submit("Who bears the risk?");
    const frames = await collect(turn.stream());
    expect(frames.map(({ type }) => type)).toEqual(expect.arrayContaining(["attempt", "text", "end"]));
    expect((await turn.result()).output).toBe("The seller bears the risk.");
    await others.close();
    expect(await execute("doubled", "closed", 1)).toBe(2);
  });

  it("WRK-15 runs tools, and asks for approval where they say so, for conversations of a client of theirs", async () => {
    scriptPurchase(50);
    const agent = new Agent({ model: "claude-haiku-4-5", tools: ["look", "pay"] });
    const session = await conversations.start(agent);
    const turn = await session.submit("Buy it.");
    const frames = collect(turn.stream());
    await expect
      .poll(async () => (await session.status()).approvals)
      .toMatchObject([{ call: 2, name: "pay" }]);
    await session.approve(2);
    expect(await turn.result()).toMatchObject({ output: "Bought.", toolCalls: 2 });
    const outputs = (await frames).flatMap((frame) => (frame.type === "tool_result" ? [frame.output] : []));
    expect(outputs).toEqual(["value of price", "paid 50"]);
  });

  it("WRK-2 keeps what is large outside the history", async () => {
    const session = await conversations.start(new Agent({ model: "claude-haiku-4-5" }));
    const before = (await readdir(conversations.settings.payloadStore)).length;
    await session.run("x".repeat(300_000));
    expect((await readdir(conversations.settings.payloadStore)).length).toBeGreaterThan(before);
  });
});

describe("a conversation as a child of their workflow", () => {
  it("WRK-10 answers what the workflow asks, question after question, and is found by its id", async () => {
    stack.simulator.script({ reply: { text: "One." } }, { reply: { text: "Two." } });
    const results = await execute("asks", "child", "child", ["First?", "Second?"]);
    expect(results).toMatchObject([
      { output: "One.", turn_id: "child-0", usage: { input_tokens: expect.any(Number) } },
      { output: "Two.", turn_id: "child-2" },
    ]);
    expect(stack.simulator.calls.at(-1)?.body).toMatchObject({ messages: [{}, {}, {}] });
    const session = await conversations.open("child");
    await expect.poll(async () => (await session.status()).state).toBe("closed");
    expect((await session.status()).run_count).toBe(2);
  });

  it("WRK-10 answers questions that are asked at once, and one that is asked twice both times", async () => {
    const questions = ["One?", "Two?", "Three?", "Four?", "Five?"];
    const answers = await execute<string[]>("asksAtOnce", "crowd", "crowd", questions);
    expect(answers).toHaveLength(10);
    for (const [index, question] of questions.entries()) {
      expect(answers[2 * index]).toContain(question);
      expect(answers[2 * index + 1]).toBe(answers[2 * index]);
    }
    expect(stack.simulator.calls).toHaveLength(5);
  });

  it("WRK-16 uses tools, and its workflow hears the answer though the turn was carried through runs while it waited", async () => {
    scriptPurchase(60);
    const buying = execute<{ output: string }>("buys", "buying", "buying", "Buy it.");
    const session = await openSoon("buying");
    await expect.poll(async () => (await session.status()).approvals.length).toBe(1);
    const runId = async () => (await client.workflow.getHandle("buying").describe()).runId;
    const first = await runId();
    for (let sent = 0; sent < 10; sent++) await client.workflow.getHandle("buying").signal("nothing");
    await expect.poll(runId).not.toBe(first);
    await session.approve(2);
    expect(await buying).toMatchObject({ output: "Bought.", tool_calls: 2, turn_id: "t1" });
    expect(JSON.stringify(stack.simulator.calls.at(-1)?.body)).toMatch(/value of price.*paid 60/s);
  });

  it("WRK-11 tells the workflow of a turn that was interrupted, or refused, by a failure with the turn's view", async () => {
    stack.simulator.script({ fault: { kind: "status", status: 400, message: "No." } });
    expect(await execute("asksInVain", "failing", "failing", "Why?", false)).toEqual([
      "TurnInterruptedError",
      "interrupted",
      expect.stringContaining("No."),
    ]);
    expect(await execute("asksInVain", "empty", "empty", " ", false)).toEqual([
      "TurnRefusedError",
      "refused",
      expect.stringContaining("message is empty"),
    ]);
    stack.simulator.script({ reply: { text: "At last." }, pace: { minimumReplyMs: 3_000 } });
    expect(await execute("asksInVain", "shut", "shut", "Why?", true)).toEqual([
      "TurnRefusedError",
      "refused",
      expect.stringContaining("is closed"),
    ]);
  });

  it("WRK-14 tells a workflow that a signal or an update names, and goes on where that one is gone", async () => {
    const session = await conversations.start(new Agent({ model: "claude-haiku-4-5" }), { id: "telling" });
    const hearing = execute<{ turn: { turn_id: string } }[]>("hears", "telling", 2);
    const reply_to = { workflow_id: "parent-of-telling" };
    const handle = client.workflow.getHandle(session.id);
    await handle.signal("submit_turn", { message: "One?", turn_id: "one", reply_to });
    await handle.executeUpdate("submit_turn", { args: [{ message: "Two?", turn_id: "two", reply_to }] });
    const turn = { state: "committed", result: { output: expect.any(String) } };
    // Temporal does not keep the order of signals between workflows.
    const heard = (await hearing).toSorted((a, b) => a.turn.turn_id.localeCompare(b.turn.turn_id));
    expect(heard).toMatchObject(
      ["one", "two"].map((turn_id) => ({ conversation_id: "telling", turn: { turn_id, ...turn } })),
    );
    const gone = { workflow_id: "nobody" };
    await handle.signal("submit_turn", { message: "Three?", turn_id: "three", reply_to: gone });
    expect(await session.turn("three").result()).toMatchObject({ output: expect.stringContaining("Three?") });
    expect((await session.run("Four?")).output).toContain("Four?");
    await session.close();
  });

  it("WRK-12 closes with the workflow that began it, and keeps its last envelope", async () => {
    const parent = await client.workflow.start("leaves", {
      taskQueue,
      workflowId: "leaving",
      args: ["left"],
    });
    const session = await conversations.open("left").catch(() => undefined);
    await expect
      .poll(async () => (await (session ?? (await conversations.open("left"))).status()).run_count)
      .toBe(1);
    await parent.signal("stop");
    await parent.result();
    await expect
      .poll(async () => (await conversations.list({ closed: true })).map(({ id }) => id))
      .toContain("left");
    expect((await (await conversations.open("left")).toEnvelope()).messages).toHaveLength(2);
  });

  it("WRK-13 answers its workflow though their worker is killed in the middle of the answer", async () => {
    stack.simulator.script(
      { reply: { text: "word ".repeat(100) }, pace: { minimumReplyMs: 5_000 } },
      { reply: { text: "Whole." } },
    );
    const asking = execute("asks", "killed", "killed", ["First?"]);
    await stack.simulator.waitForCall(({ chunksSent }) => chunksSent > 4);
    await end(worker, "SIGKILL");
    worker = await startWorker();
    expect(await asking).toMatchObject([{ output: "Whole.", attempt: 2 }]);
  }, 60_000);

  it("WRK-8 replays under a bundle that the plugin makes, like the workflow that began it", async () => {
    quieten();
    const plugins = [new HoldfastPlugin({ cwd: stack.folder })];
    const histories = ["parent-of-crowd", "crowd", "shut", "parent-of-buying", "buying"].map((id) =>
      client.workflow.getHandle(id).fetchHistory(),
    );
    const bundled = await bundleWorkflowCode({ workflowsPath, plugins, logger: new DefaultLogger("ERROR") });
    for (const history of await Promise.all(histories))
      await expect(
        Worker.runReplayHistory({ workflowBundle: bundled, plugins }, history),
      ).resolves.toBeUndefined();
  }, 90_000);

  it("WRK-3 ends by itself once it has drained, with nothing left open", async () => {
    expect(await end(worker, "SIGTERM")).toBe(0);
    expect(output).toContain("closed\n");
  });
});

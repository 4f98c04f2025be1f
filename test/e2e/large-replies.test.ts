import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import type { JsonObject } from "../../src/core/json.js";
import * as m from "../../src/workflows/messages.js";
import { replayChain } from "../support/replay.js";
import { historiesOf } from "../support/short-runs.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import { countEvents, type Event, tasksFailedByWorker } from "../support/temporal-view.js";

let stack: TestStack;
let conversations: Conversations;
let session: Conversation;

beforeAll(async () => {
  stack = await startTestStack({ tools: true, simulate: { contextTokens: 5_000_000 } });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());
beforeEach(async () => {
  stack.simulator.reset();
  session = await conversations.start(
    new Agent({ model: "claude-haiku-4-5", tools: ["weather", "look_long", "pay"] }),
  );
});

function scriptCalls(count: number, name: string, args: JsonObject): void {
  const toolCalls = Array.from({ length: count }, () => ({ name, arguments: args }));
  stack.simulator.script({ reply: { toolCalls } });
}

const firstRun = async () => (await historiesOf(conversations, session.id))[0]?.events ?? [];

/** Activities. */
const toolsStarted = (events: readonly Event[]): number =>
  events.filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === "callTool")
    .length;

/** It answers, no workflow task has failed, and a worker that has seen nothing of it could go on. */
async function expectUnharmed(): Promise<void> {
  expect((await session.run("Are you well?")).output).toContain("Are you well?");
  const runs = await replayChain(conversations, session.id);
  expect(runs.flatMap(({ events }) => tasksFailedByWorker(events ?? []))).toEqual([]);
}

describe("an answer that asks for too much at once", () => {
  it("WFL-370 in 2,100 calls has 128 of them run, the model is told of the others, and the conversation goes on", async () => {
    scriptCalls(2_100, "weather", { place: "Oslo" });
    const { toolCalls } = await session.run("Everything.");
    expect(toolCalls).toBe(128);
    expect(toolsStarted(await firstRun())).toBe(128);
    const told = (await session.messages()).filter(({ role }) => role === "user");
    expect(JSON.stringify(told).match(/This call was not run/g)).toHaveLength(1_972);
    await expectUnharmed();
  });

  it("WFL-370 in 45 calls with 100 KB each has ten of them run, and the conversation goes on", async () => {
    scriptCalls(45, "weather", { place: "q".repeat(100_000) });
    expect((await session.run("Much.")).toolCalls).toBe(10);
    await expectUnharmed();
  });

  it("WFL-370 of local tools that answer with 100 KB each has 16 run within the task, and the conversation goes on", async () => {
    scriptCalls(45, "look_long", {});
    expect((await session.run("Look.")).toolCalls).toBe(45);
    const events = await firstRun();
    expect(countEvents(events, "EVENT_TYPE_MARKER_RECORDED")).toBeGreaterThanOrEqual(16);
    expect(toolsStarted(events)).toBe(29);
    await expectUnharmed();
  });
});

describe("approvers that give too much at once", () => {
  it("WFL-372 while no worker runs are refused beyond 512 KiB, and the conversation goes on", async () => {
    scriptCalls(80, "pay", { amount: 50 });
    const turn = await session.submit("Pay.", { turnId: "t1" });
    await expect.poll(async () => (await session.status()).approvals.length).toBe(80);
    await Promise.all(stack.workers.map((worker) => worker.kill()));
    const handle = conversations.temporal.workflow.getHandle(session.id);
    const text = "e".repeat(60_000);
    for (let call = 1; call <= 80; call++)
      await handle.signal(m.approveSignal, { call, arguments: { amount: call, text } });
    await stack.startWorker();
    await expect.poll(async () => (await session.status()).approvals.length, { timeout: 20_000 }).toBe(72);
    expect((await session.status()).refusals.at(-1)).toMatchObject({
      name: "approve",
      error: expect.stringContaining("at most 524288"),
    });
    const refused = { cause: { type: "UsageError", message: expect.stringContaining("at most 524288") } };
    await expect(
      handle.executeUpdate(m.approveUpdate, { args: [{ call: 80, arguments: { amount: 80, text } }] }),
    ).rejects.toMatchObject(refused);
    await session.approve(80);
    await turn.cancel("Enough.");
    await expect(turn.result()).rejects.toMatchObject({ record: { error_type: "turn.cancelled" } });
    await expectUnharmed();
  });
});

describe("a turn of many rounds", () => {
  it("WFL-371 ends interrupted before its run's history is too long for the server, and the conversation goes on", async () => {
    await Promise.all(stack.workers.map((worker) => worker.kill()));
    await stack.startWorker({ HOLDFAST_TEST_BOUNDS: JSON.stringify({ runEvents: 20 }) });
    for (let round = 0; round < 2; round++) scriptCalls(3, "weather", { place: "Oslo" });
    const record = {
      error_type: "turn.run_full",
      error: expect.stringMatching(/^The history .* up to 20 and /),
    };
    await expect(session.run("For ever.")).rejects.toMatchObject({ record });
    expect((await session.interruptedTurn())?.tool_calls?.map(({ state }) => state)).toEqual([
      ...Array.from({ length: 3 }, () => "settled"),
      ...Array.from({ length: 3 }, () => "not_started"),
    ]);
    await expectUnharmed();
  });
});

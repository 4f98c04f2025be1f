/** Turns that wait for approval through many runs of their conversation, as their callers see them: as one. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import * as m from "../../src/workflows/messages.js";
import { collect } from "../support/collect.js";
import { replayChain } from "../support/replay.js";
import { type History, historiesOf, startShortRuns } from "../support/short-runs.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import { tasksFailedByWorker } from "../support/temporal-view.js";

/** How many messages wait behind the parked turn. */
const QUEUED = 10;

let stack: TestStack;
let conversations: Conversations;

beforeAll(async () => {
  stack = await startTestStack({ tools: true, simulate: { minimumReplyMs: 0 } });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());
beforeEach(() => {
  stack.simulator.reset();
  rmSync(join(stack.folder, "tools.log"), { force: true });
});

/** The runs of tools, in the order in which they began. */
function ran(): readonly string[] {
  const file = join(stack.folder, "tools.log");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

const ids = (count: number, prefix = "q"): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** A conversation of short runs whose turn t1 pays: amounts above 10 wait for approval. */
async function park(amounts: readonly number[], text = "One moment."): Promise<Conversation> {
  const session = await startShortRuns(conversations, { events: 30 }, { tools: ["pay"] });
  const toolCalls = amounts.map((amount) => ({ name: "pay", arguments: { amount } }));
  stack.simulator.script({ reply: { toolCalls, text } });
  await session.submit("Pay.", { turnId: "t1" });
  const waiting = amounts.filter((amount) => amount > 10).length;
  await expect.poll(async () => (await session.status()).approvals.length).toBe(waiting);
  return session;
}

const runsOf = async ({ id }: Conversation): Promise<number> => (await historiesOf(conversations, id)).length;

/** Sends what makes a run long, until there have been so many. */
async function untilRun(session: Conversation, count: number): Promise<void> {
  const handle = conversations.temporal.workflow.getHandle(session.id);
  while ((await runsOf(session)) < count) {
    for (let sent = 0; sent < 5; sent++) await handle.signal("nothing");
    // A run cannot end while every workflow task brings it a signal more.
    await delay(500);
  }
}

async function expectReplays({ id }: Conversation): Promise<readonly History[]> {
  const histories = await replayChain(conversations, id);
  expect(histories.flatMap(({ events }) => tasksFailedByWorker(events ?? []))).toEqual([]);
  return histories;
}

/** The storage keys of the arguments with which a run began, in their order. */
function argumentsOf({ events }: History): readonly string[] {
  const { input } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
  return (input?.payloads ?? []).map(
    ({ data }) => /"key":"(\w+\.payload)"/.exec(Buffer.from(data ?? []).toString())?.[1] ?? "inline",
  );
}

/** Of each conversation in the storm. */
const FIRST_AMOUNTS = [100, 200, 300, 400, 500];

describe("a turn that is parked through many runs", () => {
  it("WFL-179 is carried from run to run while others queue up, runs nothing twice, and is committed once; then the queue drains in its order", async () => {
    const session = await park([5, 50], "word ".repeat(28_000));
    const frames = collect<Frame>(session.turn("t1").stream());
    for (const turnId of ids(QUEUED)) await session.submit(`Question of ${turnId}.`, { turnId });
    const parked = await runsOf(session);
    expect(parked).toBeGreaterThan(2);
    expect(await session.status()).toMatchObject({
      running: "t1",
      message_count: 0,
      approvals: [{ call: 2 }],
    });
    expect(ran()).toEqual(["paid 5"]);
    await session.approve(2);
    await session.turn(`q${QUEUED - 1}`).result();
    expect(ran()).toEqual(["paid 5", "paid 50"]);
    expect((await session.inspect()).turn_index.map(({ turn_id, state }) => [turn_id, state])).toEqual(
      ["t1", ...ids(QUEUED)].map((id) => [id, "committed"]),
    );
    expect(stack.simulator.calls).toHaveLength(QUEUED + 2);
    const read = await frames;
    expect(read.flatMap((frame) => (frame.type === "tool_result" ? [frame.output] : []))).toEqual([
      "paid 5",
      "paid 50",
    ]);
    expect(read.at(-1)).toMatchObject({ type: "end", state: "committed", result: { tool_calls: 2 } });
    const histories = await expectReplays(session);
    for (const { events } of histories) expect(events?.length).toBeLessThan(60);
    // What the turn has staged is one payload for all the runs in which it waited.
    const staged = histories.slice(1, parked).map((history) => argumentsOf(history).at(-2));
    expect(staged).toHaveLength(parked - 1);
    expect([...new Set(staged)]).toEqual([expect.stringMatching(/payload$/)]);
  }, 60_000);

  it("WFL-183 is gone on with by another worker when its own is killed after the move", async () => {
    const session = await park([5, 50]);
    await untilRun(session, 3);
    await Promise.all(stack.workers.map((worker) => worker.kill()));
    const handle = conversations.temporal.workflow.getHandle(session.id);
    await handle.signal(m.approveSignal, { call: 2 });
    await stack.startWorker();
    const result = await session.turn("t1").result();
    expect(result).toMatchObject({ toolCalls: 2, messages: { from: 0, to: 4 } });
    expect(ran()).toEqual(["paid 5", "paid 50"]);
    expect(JSON.stringify(stack.simulator.calls.at(-1)?.body)).toContain("One moment.");
    await expectReplays(session);
  }, 60_000);

  it("WFL-184 loses no decision, and acts on none twice, when many come while runs end", async () => {
    const sessions: Conversation[] = [];
    for (const first of FIRST_AMOUNTS) sessions.push(await park(ids(4).map((_, index) => first + index)));
    await Promise.all(
      sessions.map(async (session) => {
        const handle = conversations.temporal.workflow.getHandle(session.id);
        const queued = ids(QUEUED / 2).map((turnId) => session.submit("Next.", { turnId }));
        const decisions = ids(4).map((_, index) => {
          const request = { call: index + 1, turn_id: "t1" };
          const signal = index % 3 === 2 ? m.denySignal : m.approveSignal;
          return handle.signal(signal, request).then(() => handle.signal(signal, request));
        });
        await Promise.all([...queued, ...decisions]);
      }),
    );
    for (const session of sessions) {
      expect((await session.turn("t1").result()).toolCalls).toBe(3);
      await Promise.all(ids(QUEUED / 2).map((turnId) => session.turn(turnId).result()));
      const { turn_index } = await session.inspect();
      expect(turn_index.map(({ state }) => state)).toEqual(Array(QUEUED / 2 + 1).fill("committed"));
      expect((await expectReplays(session)).length).toBeGreaterThan(1);
    }
    const paid = FIRST_AMOUNTS.flatMap((first) => [0, 1, 3].map((more) => `paid ${first + more}`));
    expect(ran().toSorted()).toEqual(paid);
  }, 60_000);
});

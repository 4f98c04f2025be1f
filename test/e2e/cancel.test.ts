import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import { TurnInterruptedError } from "../../src/core/errors/errors.js";
import { startTestProcess } from "../support/process.js";
import { replay } from "../support/replay.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import { countEvents, eventsOf, holderOf, lastBeatOf } from "../support/temporal-view.js";

const agent = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief." });
const SLOW = { match: { text: "slow" }, reply: { text: "word ".repeat(400) }, pace: { chunkDelayMs: 50 } };

let stack: TestStack;
let conversations: Conversations;
let session: Conversation;

beforeAll(async () => {
  stack = await startTestStack();
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());
beforeEach(async () => {
  stack.simulator.reset();
  session = await conversations.start(agent);
});

/** The error with which a turn ends, and its record in the conversation. */
async function interruptionOf(turnId: string): Promise<TurnInterruptedError> {
  const error = await session
    .turn(turnId)
    .result()
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(TurnInterruptedError);
  expect(await session.turn(turnId).view()).toMatchObject({ state: "interrupted" });
  return error as TurnInterruptedError;
}

async function expectNothingKept(): Promise<void> {
  expect(await session.messages()).toEqual([]);
  expect((await session.run("And now?")).messages).toEqual({ from: 0, to: 2 });
}

describe("a cancel", () => {
  it("WFL-40 stops a turn in the middle of its answer, at the socket, and keeps what was said in the record", async () => {
    stack.simulator.script(SLOW);
    await session.submit("slow", { turnId: "t1" });
    await stack.simulator.waitForCall(({ chunksSent }) => chunksSent > 4);
    const asked = Date.now();
    await session.cancel("t1", "Not that one.");
    const { record } = await interruptionOf("t1");
    expect(Date.now() - asked).toBeLessThan(3_000);
    expect(record).toMatchObject({
      error_type: "turn.cancelled",
      error: "Not that one.",
      message: "slow",
      turn_id: "t1",
      attempts: 1,
      partial_text: expect.stringMatching(/^word word /),
    });
    const call = await stack.simulator.waitForCall(({ clientClosed }) => clientClosed);
    expect(call.bytesSentAfterClose).toBeLessThan(1_024);
    expect(stack.simulator.counters()).toMatchObject({ calls: 1, open: 0, clientClosed: 1 });
    const { accounting } = await session.toEnvelope();
    expect(accounting.turns).toMatchObject([{ state: "interrupted", provider_calls: 1 }]);
    await expectNothingKept();
  });

  it("WFL-41 takes a waiting turn out of the queue without a call", async () => {
    stack.simulator.script(SLOW);
    await session.submit("slow", { turnId: "t1" });
    await session.submit("waits", { turnId: "t2" });
    await session.cancel("t2");
    const { record } = await interruptionOf("t2");
    expect(record).toMatchObject({ error_type: "turn.cancelled", message: "waits", attempts: 0 });
    await session.turn("t1").cancel();
    await interruptionOf("t1");
    expect(stack.simulator.calls).toHaveLength(1);
    const { accounting } = await session.toEnvelope();
    expect(accounting.turns.map(({ turn_id, state }) => [turn_id, state])).toEqual([
      ["t2", "interrupted"],
      ["t1", "interrupted"],
    ]);
    await expectNothingKept();
  });

  it("WFL-42 ends the wait for a retry that the provider asked for", async () => {
    stack.simulator.script({ fault: { kind: "status", status: 429, retryAfter: 30 }, times: null });
    await session.submit("limited", { turnId: "t1" });
    const frames = session.turn("t1").stream();
    let retry: Frame | undefined;
    for await (const frame of frames) {
      if (frame.type !== "retry") continue;
      retry = frame;
      break;
    }
    expect(retry).toMatchObject({ error_type: "provider.rate_limited", delay_ms: 30_000 });
    await session.cancel("t1");
    expect((await interruptionOf("t1")).record).toMatchObject({
      error_type: "turn.cancelled",
      attempts: 1,
      partial_text: "",
    });
    const { accounting } = await session.toEnvelope();
    expect(accounting.turns).toMatchObject([{ state: "interrupted", provider_calls: 1 }]);
    await replay(conversations, session.id);
    stack.simulator.reset();
    await expectNothingKept();
  });

  it("WFL-43 stops a turn whose provider says nothing at all", async () => {
    stack.simulator.script({ fault: { kind: "hang" } });
    await session.submit("hang", { turnId: "t1" });
    await stack.simulator.waitForCall(() => true);
    await session.cancel();
    expect((await interruptionOf("t1")).record).toMatchObject({ partial_text: "" });
    await stack.simulator.waitForCall(({ clientClosed }) => clientClosed);
    await expectNothingKept();
  });

  it("WFL-44 of a turn whose worker has died ends it at once, interrupted and not called again", async () => {
    await Promise.all(stack.workers.map((worker) => worker.kill()));
    // Nobody finds the call in a journal.
    const env = { HOLDFAST_JOURNAL: "none" };
    const [survivor] = await Promise.all([stack.startWorker(env), stack.startWorker(env)]);
    stack.simulator.script({ ...SLOW, times: null });
    await session.submit("slow", { turnId: "t1" });
    await stack.simulator.waitForCall(({ chunksSent }) => chunksSent > 2);
    const holder = await holderOf(conversations, session.id, stack.workers);
    await expect.poll(() => lastBeatOf(conversations, session.id)).toMatch(/"calls":1.*word/);
    await holder.kill();
    const asked = Date.now();
    await session.cancel("t1");
    const { record } = await interruptionOf("t1");
    const took = Date.now() - asked;
    console.log(`  a cancel after its worker's death took ${took} ms`);
    expect(took).toBeLessThan(6_000);
    expect(record).toMatchObject({
      error_type: "turn.cancelled",
      attempts: 1,
      partial_text: expect.stringMatching(/^word /),
    });
    const { accounting } = await session.toEnvelope();
    expect(accounting.turns).toMatchObject([{ provider_calls: 1 }]);
    expect(stack.simulator.calls).toHaveLength(1);
    if (holder === survivor) await stack.startWorker();
    await expectNothingKept();
    await replay(conversations, session.id);
  });

  it("WFL-144 of a turn that nobody works on any more ends it when a worker comes, without another call", async () => {
    await Promise.all(stack.workers.map((worker) => worker.kill()));
    const only = await stack.startWorker();
    stack.simulator.script({ ...SLOW, times: null });
    await session.submit("slow", { turnId: "t1" });
    await stack.simulator.waitForCall(({ chunksSent }) => chunksSent > 2);
    await only.kill();
    await session.cancel("t1");
    await stack.startWorker();
    expect((await interruptionOf("t1")).record).toMatchObject({ error_type: "turn.cancelled" });
    expect(stack.simulator.calls).toHaveLength(1);
    const { accounting } = await session.toEnvelope();
    expect(accounting.turns).toMatchObject([{ provider_calls: 1 }]);
    await expectNothingKept();
  });

  it("WFL-145 leaves histories that replay though the conversation was asked all the while", async () => {
    stack.simulator.script({ pace: { minimumReplyMs: 250 }, times: null });
    let asking = true;
    const questions = Array.from({ length: 3 }, async () => {
      while (asking) await session.status();
    });
    for (let index = 0; index < 4; index++) {
      const turns = [
        await session.submit(`slow ${index}`),
        await session.submit("now", { onBusy: "interrupt" }),
      ];
      await Promise.allSettled(turns.map((turn) => turn.result()));
    }
    asking = false;
    await Promise.all(questions);
    const events = await eventsOf(conversations, session.id);
    // What a local activity answered would stand in a marker of its own, beside the one of the workflow's version.
    expect(countEvents(events, "EVENT_TYPE_MARKER_RECORDED")).toBe(1);
    await expect(replay(conversations, session.id)).resolves.toBeUndefined();
  });

  it("WFL-45 of a turn that has ended, or that nobody knows, changes nothing", async () => {
    const { turnId, output } = await session.run("Done?");
    await session.turn(turnId).cancel();
    await session.cancel("unheard of");
    await session.cancel();
    await expect
      .poll(async () => (await session.status()).refusals.map(({ name }) => name))
      .toEqual(["cancel_turn", "cancel_turn", "cancel_turn"]);
    expect((await session.turn(turnId).result()).output).toBe(output);
    expect(await session.interruptedTurn()).toBeNull();
  });
});

describe("what is no stop", () => {
  it("WFL-46 an abort of the waiting leaves the turn alone", async () => {
    stack.simulator.script({ ...SLOW, pace: { minimumReplyMs: 600 } });
    const stop = new AbortController();
    const waiting = session.run("slow", { turnId: "t1", signal: stop.signal });
    const reason = new Error("I have to go.");
    const gone = expect(waiting).rejects.toBe(reason);
    await stack.simulator.waitForCall(({ chunksSent }) => chunksSent > 2);
    stop.abort(reason);
    await gone;
    expect((await session.turn("t1").result()).output).toMatch(/^word /);
    expect(stack.simulator.counters()).toMatchObject({ calls: 1, clientClosed: 0 });
  });

  it("WFL-47 a client process that is killed while it waits leaves the turn alone", async () => {
    stack.simulator.script({ ...SLOW, pace: { minimumReplyMs: 600 } });
    const client = startTestProcess("client-process.ts", [session.id, "slow", "t1"], stack);
    await stack.simulator.waitForCall(({ chunksSent }) => chunksSent > 2);
    client.kill("SIGKILL");
    await once(client, "exit");
    expect((await session.turn("t1").result()).output).toMatch(/^word /);
    expect((await session.status()).run_count).toBe(1);
    expect(stack.simulator.counters()).toMatchObject({ calls: 1, clientClosed: 0 });
  });
});

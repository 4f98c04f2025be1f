import { ApplicationFailure } from "@temporalio/common";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { defineTool } from "../../src/activities/tools/define-tool.js";
import * as m from "../../src/workflows/messages.js";
import {
  answers,
  calls,
  type SkippingConversation,
  type SkippingServer,
  startSkippingServer,
} from "../support/time-skipping.js";

vi.setConfig({ testTimeout: 60_000 });

/** A workflow task that a worker takes with it as it stops is lost for five seconds, and queries wait for it. */
const PATIENCE_MS = 30_000;

let runs: unknown[] = [];
const pay = defineTool({ name: "pay", needsApproval: true, execute: (args) => void runs.push(args) });
const look = defineTool({ name: "look", execute: () => "found" });

const states = async ({ handle }: SkippingConversation) => handle.query(m.status);

async function waiting(conversation: SkippingConversation, count: number): Promise<void> {
  await vi.waitFor(async () => expect((await states(conversation)).approvals).toHaveLength(count), {
    timeout: PATIENCE_MS,
    interval: 50,
  });
}

async function ended(conversation: SkippingConversation, turnId: string): Promise<string> {
  await vi.waitFor(
    async () => expect((await conversation.turn(turnId)).state).toMatch(/committed|interrupted/),
    { timeout: PATIENCE_MS, interval: 50 },
  );
  return (await conversation.turn(turnId)).state;
}

describe("a tool call that waits for approval", () => {
  let server: SkippingServer;
  beforeAll(async () => {
    server = await startSkippingServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("TOL-51 waits for days without an event, and its turn goes on with all of its time", async () => {
    runs = [];
    const conversation = await server.converse({
      provider: [calls("pay", "look"), answers],
      tools: [pay, look],
      cached: false,
    });
    await conversation.submit("t1");
    await waiting(conversation, 1);
    const length = async () => (await conversation.handle.fetchHistory()).events?.length ?? 0;
    await vi.waitFor(async () => expect(await restIsSettled(conversation)).toBe(true), 10_000);
    const before = await length();
    await server.sleep("5 days");
    expect(await length()).toBe(before);
    expect((await conversation.turn("t1")).state).toBe("running");
    await conversation.handle.executeUpdate(m.approveUpdate, { args: [{ call: 1 }] });
    expect(await ended(conversation, "t1")).toBe("committed");
    expect(runs).toHaveLength(1);
    const scheduled = (await conversation.handle.fetchHistory()).events?.flatMap(
      ({ activityTaskScheduledEventAttributes: one }) =>
        one == null ? [] : [Number(one.scheduleToCloseTimeout?.seconds)],
    );
    expect(scheduled?.every((seconds) => seconds > 3_500)).toBe(true);
  });

  it("WFL-187 is carried from run to run for days, and its turn goes on with all of its time", async () => {
    runs = [];
    const conversation = await server.converse({
      provider: [calls("pay", "look"), answers],
      tools: [pay, look],
      limits: { events: 40 },
      // This server skips no time any more once a run has ended with its confirmation open.
      activities: () => ({ confirmMove: () => Promise.reject(ApplicationFailure.nonRetryable("Not here.")) }),
    });
    const { handle } = conversation;
    const runId = async () => (await handle.describe()).runId;
    await conversation.submit("t1");
    await waiting(conversation, 1);
    const passed = [await runId()];
    for (let day = 0; day < 3; day++) {
      await server.sleep("1 days");
      for (let sent = 0; sent < 10; sent++) await handle.signal("nothing");
      await vi.waitFor(async () => expect(passed).not.toContain(await runId()), 15_000);
      passed.push(await runId());
    }
    expect((await states(conversation)).approvals).toHaveLength(1);
    await handle.signal(m.approveSignal, { call: 1 });
    expect(await ended(conversation, "t1")).toBe("committed");
    expect(runs).toHaveLength(1);
    const scheduled = (await handle.fetchHistory()).events?.flatMap(
      ({ activityTaskScheduledEventAttributes: one }) =>
        one == null ? [] : [[one.activityType?.name, Number(one.scheduleToCloseTimeout?.seconds) > 3_500]],
    );
    expect(scheduled).toEqual([
      ["callTool", true],
      ["callModel", true],
    ]);
  });

  it.each([
    ["approved", m.approveSignal],
    ["denied", m.denySignal],
  ])(
    "TOL-136 that is %s in the moments of the turn's stop begins nothing: no tool, no call of the model",
    async (_verdict, signal) => {
      runs = [];
      const conversation = await server.converse({
        provider: [calls("pay"), answers],
        tools: [pay],
        cached: false,
      });
      await conversation.submit("t1");
      await waiting(conversation, 1);
      await conversation.pauseWorkflows();
      await conversation.handle.signal(m.cancelTurn, {});
      await conversation.handle.signal(signal, { call: 1 });
      await conversation.resumeWorkflows();
      expect(await ended(conversation, "t1")).toBe("interrupted");
      expect(runs).toEqual([]);
      expect(conversation.callTimes).toHaveLength(1);
      expect((await conversation.turn("t1")).interrupted_turn).toMatchObject({
        error_type: "turn.cancelled",
        tool_calls: [{ state: "not_started" }],
      });
      await vi.waitFor(() => expect(conversation.frames.at(-1)).toMatchObject({ type: "end" }), 5_000);
      await conversation.replay();
    },
  );

  it("TOL-55 goes with the turn that is stopped, not started", async () => {
    runs = [];
    const conversation = await server.converse({ provider: [calls("pay")], tools: [pay] });
    await conversation.submit("t1");
    await waiting(conversation, 1);
    await server.sleep("2 days");
    await conversation.handle.signal(m.cancelTurn, { turn_id: "t1" });
    expect(await ended(conversation, "t1")).toBe("interrupted");
    expect((await conversation.turn("t1")).interrupted_turn).toMatchObject({
      error_type: "turn.cancelled",
      tool_calls: [{ name: "pay", state: "not_started" }],
    });
    expect((await states(conversation)).approvals).toEqual([]);
    expect(runs).toEqual([]);
    await vi.waitFor(() => expect(conversation.frames.at(-1)).toMatchObject({ type: "end", turn: "t1" }));
  });
});

/** The call beside the one that waits has been answered: no activity is left. */
async function restIsSettled({ handle }: SkippingConversation): Promise<boolean> {
  const { events = [] } = await handle.fetchHistory();
  return (
    (events ?? []).filter(({ activityTaskCompletedEventAttributes: done }) => done != null).length === 2 &&
    (events ?? []).at(-1)?.workflowTaskCompletedEventAttributes != null
  );
}

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

let runs: unknown[] = [];
const pay = defineTool({ name: "pay", needsApproval: true, execute: (args) => void runs.push(args) });
const look = defineTool({ name: "look", execute: () => "found" });

const states = async ({ handle }: SkippingConversation) => handle.query(m.status);

async function waiting(conversation: SkippingConversation, count: number): Promise<void> {
  await vi.waitFor(async () => expect((await states(conversation)).approvals).toHaveLength(count), {
    timeout: 15_000,
    interval: 50,
  });
}

async function ended(conversation: SkippingConversation, turnId: string): Promise<string> {
  await vi.waitFor(
    async () => expect((await conversation.turn(turnId)).state).toMatch(/committed|interrupted/),
    { timeout: 15_000, interval: 50 },
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

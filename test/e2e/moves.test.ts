/** What meets a run while it ends: each test holds it there, between its last message and its continuing as new. */

import { setTimeout as delay } from "node:timers/promises";
import type { WorkflowHandle } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defineTool } from "../../src/activities/tools/define-tool.js";
import type { ConversationActivities } from "../../src/core/conversation/activity-contract.js";
import type { ConversationStatus } from "../../src/core/conversation/messages.js";
import * as m from "../../src/workflows/messages.js";
import {
  answers,
  type ConverseOptions,
  calls,
  type SkippingConversation,
  type SkippingServer,
  startPlainServer,
} from "../support/time-skipping.js";

const SONNET = { agent: { model: "claude-sonnet-4-5" } };
const GPT = { agent: { model: "gpt-6-luna" } };
/** The first update makes the next run due: what it accepted waits for that. */
const AT_ONCE = { updates: 1 };

let server: SkippingServer;
beforeAll(async () => {
  server = await startPlainServer();
});
afterAll(() => server[Symbol.asyncDispose]());

interface Moving extends SkippingConversation {
  /** Resolves once the run has stopped taking turns. */
  readonly reached: Promise<void>;
  letGo(): void;
}

async function converse(
  limits: object,
  more: Partial<ConversationActivities> = {},
  options: Partial<ConverseOptions> = {},
): Promise<Moving> {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const conversation = await server.converse({
    provider: [answers],
    ...options,
    limits,
    activities: (real) => ({
      ...more,
      async confirmMove(input) {
        reached.resolve();
        await opened.promise;
        return real.confirmMove(input);
      },
    }),
  });
  return Object.assign(conversation, { reached: reached.promise, letGo: opened.resolve });
}

/** A conversation that is moving with one turn waiting. */
async function movingWithTurn(): Promise<Moving> {
  const conversation = await converse(AT_ONCE);
  await conversation.submit("t1");
  await conversation.reached;
  return conversation;
}

const stateOf = async (conversation: Moving, turnId: string): Promise<string> =>
  (await conversation.turn(turnId)).state;

const statusOf = ({ handle }: Moving): Promise<ConversationStatus> => handle.query(m.status);

async function runIdOf(handle: WorkflowHandle): Promise<string> {
  return (await handle.describe()).runId;
}

async function failureOf(update: Promise<unknown>): Promise<ApplicationFailure> {
  const error: unknown = await update.catch((reason: unknown) => reason);
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof ApplicationFailure) return cause;
  throw new Error("The update was not refused.", { cause: error });
}

describe("while a run ends", () => {
  it("WFL-163 no turn starts, and what waits is carried over in its order", async () => {
    const conversation = await movingWithTurn();
    const before = await runIdOf(conversation.handle);
    for (const turn_id of ["t2", "t3"])
      await conversation.handle.signal(m.submitTurnSignal, { turn_id, message: `Question of ${turn_id}` });
    await expect
      .poll(() => statusOf(conversation))
      .toMatchObject({ queued: ["t1", "t2", "t3"], running: null });
    expect(conversation.callTimes).toEqual([]);
    conversation.letGo();
    await expect.poll(() => stateOf(conversation, "t3")).toBe("committed");
    expect(await statusOf(conversation)).toMatchObject({ run_count: 3, message_count: 6, refusals: [] });
    expect((await conversation.turn("t2")).result?.messages).toEqual({ from: 2, to: 4 });
    expect(await runIdOf(conversation.handle)).not.toBe(before);
  });

  it("WFL-164 updates are refused with `moving`, those that wait inside as well; with the same turn id they go on in the next run", async () => {
    const opened = Promise.withResolvers<void>();
    const conversation = await converse(
      { updates: 3 },
      {
        async previewConversion() {
          await opened.promise;
          throw ApplicationFailure.nonRetryable("Too late.");
        },
      },
    );
    const { handle } = conversation;
    const preview = failureOf(handle.executeUpdate(m.previewRebind, { args: [GPT] }));
    await expect.poll(async () => (await handle.fetchHistory()).events?.length).toBeGreaterThan(5);
    await conversation.submit("t1");
    await expect.poll(() => stateOf(conversation, "t1")).toBe("committed");
    const inside = failureOf(
      handle.executeUpdate(m.runTurn, { args: [{ turn_id: "t2", message: "Inside" }] }),
    );
    await conversation.reached;
    const refused = [
      await inside,
      await preview,
      await failureOf(conversation.submit("t3")),
      await failureOf(handle.executeUpdate(m.runTurn, { args: [{ message: "Inside" }] })),
      await failureOf(handle.executeUpdate(m.rebindUpdate, { args: [SONNET] })),
      await failureOf(handle.executeUpdate(m.previewRebind, { args: [GPT] })),
    ];
    for (const { message, details } of refused) {
      expect(details).toEqual([{ reason: "moving" }]);
      expect(message).toMatch(/is moving to its next run: send this again/);
    }
    conversation.letGo();
    const again = { args: [{ turn_id: "t2", message: "Inside" }] as [{ turn_id: string; message: string }] };
    await expect.poll(() => stateOf(conversation, "t2")).toBe("committed");
    expect(await handle.executeUpdate(m.runTurn, again)).toMatchObject({
      turn_id: "t2",
      output: "An answer.",
    });
    expect(await statusOf(conversation)).toMatchObject({ run_count: 2 });
    opened.resolve();
  });

  it("WFL-165 a stop by signal reaches the turn that it names", async () => {
    const conversation = await movingWithTurn();
    await conversation.handle.signal(m.cancelTurn, { turn_id: "t1", reason: "Enough." });
    await expect.poll(() => stateOf(conversation, "t1")).toBe("interrupted");
    conversation.letGo();
    await conversation.handle.signal(m.submitTurnSignal, { turn_id: "t2", message: "And now?" });
    await expect.poll(() => stateOf(conversation, "t2")).toBe("committed");
    expect((await conversation.turn("t1")).interrupted_turn).toMatchObject({ error: "Enough." });
    expect(conversation.callTimes).toHaveLength(1);
  });

  it("WFL-166 a close is carried over: what was accepted is answered, then the conversation closes", async () => {
    const conversation = await movingWithTurn();
    await conversation.handle.signal(m.close);
    conversation.letGo();
    await conversation.handle.result();
    expect(await stateOf(conversation, "t1")).toBe("committed");
    expect(await statusOf(conversation)).toMatchObject({ state: "closed", run_count: 1 });
  });

  it("WFL-166 Temporal's own cancel ends what waits, and the next run closes", async () => {
    const conversation = await movingWithTurn();
    await conversation.handle.cancel();
    await expect.poll(() => stateOf(conversation, "t1")).toBe("interrupted");
    conversation.letGo();
    await conversation.handle.result();
    expect(await statusOf(conversation)).toMatchObject({ state: "closed", run_count: 0 });
  });

  it("WFL-167 a rebind by signal is carried over and happens first in the next run", async () => {
    const conversation = await converse({ events: 9 });
    for (const name of ["one", "two"]) await conversation.handle.signal(name);
    await conversation.reached;
    for (const turn of [SONNET, GPT]) await conversation.handle.signal(m.rebindSignal, turn);
    await expect.poll(async () => (await statusOf(conversation)).refusals.length).toBe(2);
    conversation.letGo();
    await expect.poll(async () => (await statusOf(conversation)).model).toBe("gpt-6-luna");
    const { served_models } = await conversation.handle.query(m.metadata);
    expect(served_models.map(({ event, model }) => `${event} ${model}`)).toEqual([
      "start claude-haiku-4-5",
      "rebind claude-sonnet-4-5",
      "rebind gpt-6-luna",
    ]);
  });

  it("WFL-168 a worker that cannot confirm the end holds it up for no longer than the confirmation may take", async () => {
    const conversation = await server.converse({
      provider: [answers],
      limits: AT_ONCE,
      activities: () => ({
        confirmMove: () => Promise.reject(ApplicationFailure.nonRetryable("No such activity.")),
      }),
    });
    const before = await runIdOf(conversation.handle);
    await conversation.submit("t1");
    await expect.poll(async () => (await conversation.turn("t1")).state).toBe("committed");
    expect(await runIdOf(conversation.handle)).not.toBe(before);
  });

  it("WFL-169 the memo, the bound of a workflow task and the type stay those of the first run", async () => {
    const conversation = await movingWithTurn();
    const first = (await conversation.handle.fetchHistory()).events?.[0]
      ?.workflowExecutionStartedEventAttributes;
    conversation.letGo();
    await expect.poll(() => stateOf(conversation, "t1")).toBe("committed");
    const next = (await conversation.handle.fetchHistory()).events?.[0]
      ?.workflowExecutionStartedEventAttributes;
    expect(next?.continuedExecutionRunId).toBe(first?.originalExecutionRunId);
    expect(next?.workflowTaskTimeout).toEqual(first?.workflowTaskTimeout);
    expect(next?.workflowType).toEqual(first?.workflowType);
    expect((await conversation.handle.describe()).memo).toMatchObject({ layout: 1 });
  });
});

/** Runs that are short enough for what a test sends while a turn is parked, and long enough to get there. */
const SOON = { events: 40 };

interface Parked extends Moving {
  /** The tools that have run, in the order in which they began. */
  readonly ran: string[];
}

/** A turn with three calls, of which two wait for approval; `busy` holds up the third. */
async function park(limits: object = SOON, busy: Promise<void> = Promise.resolve()): Promise<Parked> {
  const ran: string[] = [];
  const run = (name: string, needsApproval: boolean) =>
    defineTool({
      name,
      needsApproval,
      execute: async () => {
        ran.push(name);
        if (name === "look") await busy;
        return `${name} done`;
      },
    });
  const tools = [run("look", false), run("pay", true), run("send", true)];
  const provider = [calls("look", "pay", "send"), answers] as const;
  const conversation = await converse(limits, {}, { provider, tools });
  await conversation.submit("t1");
  await expect.poll(async () => (await statusOf(conversation)).approvals.length).toBe(2);
  await expect.poll(() => ran).toEqual(["look"]);
  return Object.assign(conversation, { ran });
}

/** Sends what a run takes no notice of but in its length. */
async function fill({ handle }: Moving, signals = 8): Promise<void> {
  for (let sent = 0; sent < signals; sent++) await handle.signal("nothing");
}

/** A parked turn whose run is held while it ends. */
async function movingParked(): Promise<Parked> {
  const conversation = await park();
  await fill(conversation);
  await conversation.reached;
  return conversation;
}

async function toNextRun(conversation: Moving): Promise<void> {
  const before = await runIdOf(conversation.handle);
  conversation.letGo();
  await expect.poll(() => runIdOf(conversation.handle)).not.toBe(before);
}

const INTERRUPTED = { type: "end", turn: "t1", state: "interrupted", attempt: 1 };

const decided = ({ frames }: Parked) =>
  frames.flatMap((frame) => (frame.type === "tool_result" ? [frame.output] : []));

describe("while a run ends in the middle of a parked turn", () => {
  it("WFL-181 a decision by signal is carried over and acted on in the next run, and `approve` and `deny` as updates are refused with `moving`", async () => {
    const conversation = await movingParked();
    const { handle, ran } = conversation;
    await handle.signal(m.approveSignal, { call: 2 });
    await expect.poll(async () => (await statusOf(conversation)).approvals.length).toBe(1);
    for (const update of [m.approveUpdate, m.denyUpdate]) {
      const { details } = await failureOf(handle.executeUpdate(update, { args: [{ call: 3 }] }));
      expect(details).toEqual([{ reason: "moving" }]);
    }
    await handle.signal(m.rebindSignal, SONNET);
    expect(ran).toEqual(["look"]);
    await toNextRun(conversation);
    await expect.poll(() => ran).toEqual(["look", "pay"]);
    const { approvals, running, refusals } = await statusOf(conversation);
    expect([approvals, running]).toMatchObject([[{ call: 3, name: "send" }], "t1"]);
    expect(refusals.at(-1)).toMatchObject({ name: "rebind", reason: "refused" });
    await handle.executeUpdate(m.denyUpdate, { args: [{ call: 3, reason: "Not that." }] });
    await expect.poll(() => stateOf(conversation, "t1")).toBe("committed");
    expect(ran).toEqual(["look", "pay"]);
    expect((await conversation.turn("t1")).result).toMatchObject({ tool_calls: 2, provider_calls: 2 });
    const { entries } = await handle.query(m.messages);
    const results = JSON.stringify(entries.at(2));
    expect(results).toMatch(/look done.*pay done.*was not run: Not that\./s);
    expect(decided(conversation)).toEqual([
      "look done",
      "pay done",
      "Error: This call was not approved, and was not run: Not that.",
    ]);
    expect(conversation.frames.at(-1)).toMatchObject({ type: "end", state: "committed", attempt: 1 });
    await conversation.replay();
  });

  it.each(["cancel_turn", "cancel"])(
    "WFL-182 a stop by %s ends the turn in the next run, with its calls as they stood, and nothing of it runs",
    async (by) => {
      const conversation = await movingParked();
      const { handle, ran, callTimes } = conversation;
      await handle.signal(m.approveSignal, { call: 2 });
      if (by === "cancel") await handle.cancel();
      else await handle.signal(m.cancelTurn, { turn_id: "t1", reason: "Enough." });
      await toNextRun(conversation);
      await expect.poll(() => stateOf(conversation, "t1")).toBe("interrupted");
      expect((await conversation.turn("t1")).interrupted_turn).toMatchObject({
        error_type: "turn.cancelled",
        tool_calls: [
          { name: "look", state: "settled" },
          { name: "pay", state: "not_started" },
          { name: "send", state: "not_started" },
        ],
      });
      expect([ran, callTimes.length]).toEqual([["look"], 1]);
      await expect.poll(() => conversation.frames.at(-1)).toMatchObject(INTERRUPTED);
      if (by === "cancel") await handle.result();
      await conversation.replay();
    },
  );

  it("WFL-182 a close is carried over: the parked turn is still answered, then the conversation closes", async () => {
    const conversation = await movingParked();
    await conversation.handle.signal(m.close);
    await toNextRun(conversation);
    for (const call of [2, 3]) await conversation.handle.signal(m.approveSignal, { call });
    await conversation.handle.result();
    expect(await statusOf(conversation)).toMatchObject({ state: "closed", run_count: 1 });
    expect(conversation.ran.toSorted()).toEqual(["look", "pay", "send"]);
    await conversation.replay();
  });

  it("WFL-180 waits for a call that still runs, and is stopped as anywhere once it has moved", async () => {
    const busy = Promise.withResolvers<void>();
    const conversation = await park(SOON, busy.promise);
    const before = await runIdOf(conversation.handle);
    await fill(conversation);
    expect((await statusOf(conversation)).running).toBe("t1");
    expect(await Promise.race([conversation.reached.then(() => "moving"), delay(300, "waits")])).toBe(
      "waits",
    );
    busy.resolve();
    await conversation.reached;
    conversation.letGo();
    await expect.poll(() => runIdOf(conversation.handle)).not.toBe(before);
    await conversation.handle.signal(m.cancelTurn, { turn_id: "t1" });
    await expect.poll(() => stateOf(conversation, "t1")).toBe("interrupted");
    expect((await conversation.turn("t1")).interrupted_turn?.tool_calls).toMatchObject([
      { state: "settled" },
      { state: "not_started" },
      { state: "not_started" },
    ]);
    await expect.poll(() => conversation.frames.at(-1)).toMatchObject(INTERRUPTED);
    await conversation.submit("t2");
    await expect.poll(() => stateOf(conversation, "t2")).toBe("committed");
    await conversation.replay();
  });
});

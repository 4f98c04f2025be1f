import { ApplicationFailure } from "@temporalio/common";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ConversationActivities } from "../../src/core/conversation/activity-contract.js";
import * as m from "../../src/workflows/messages.js";
import {
  answers,
  type Behaviour,
  hangs,
  type SkippingConversation,
  type SkippingServer,
  startSkippingServer,
} from "../support/time-skipping.js";

const OTHER_MODEL = { agent: { model: "claude-sonnet-4-5" } };

/** Something that the test lets go on. */
class Gate {
  readonly #reached = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();

  readonly reached: Promise<void> = this.#reached.promise;

  open(): void {
    this.#opened.resolve();
  }

  async pass(): Promise<void> {
    this.#reached.resolve();
    await this.#opened.promise;
  }
}

const answersAfter =
  (gate: Gate): Behaviour =>
  async (hooks) => {
    await gate.pass();
    return answers(hooks);
  };

const resolvesAgentAfter =
  (gate: Gate) =>
  (real: ConversationActivities): Partial<ConversationActivities> => ({
    async resolveAgent(input) {
      await gate.pass();
      return real.resolveAgent(input);
    },
  });

async function ended(conversation: SkippingConversation, turnId: string): Promise<string> {
  await vi.waitFor(
    async () =>
      expect((await conversation.turn(turnId)).state).toMatch(/committed|interrupted|refused|unknown/),
    { timeout: 15_000, interval: 50 },
  );
  return (await conversation.turn(turnId)).state;
}

/** The failure that an update's caller gets. */
async function failureOf(update: Promise<unknown>): Promise<ApplicationFailure> {
  const error: unknown = await update.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof ApplicationFailure) return cause;
  throw new Error(`The update was not refused with an ApplicationFailure: ${String(cause ?? error)}`, {
    cause: error,
  });
}

describe("messages that meet", () => {
  let server: SkippingServer;
  beforeAll(async () => {
    server = await startSkippingServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("WFL-71 keeps an answer that comes together with the stop: the turn ends once, and the next one runs", async () => {
    const gate = new Gate();
    const conversation = await server.converse({ provider: [answersAfter(gate), answers], cached: false });
    await conversation.submit("t1");
    await gate.reached;
    await conversation.pauseWorkflows();
    await conversation.handle.signal(m.cancelTurn, { turn_id: "t1" });
    gate.open();
    await vi.waitFor(() => expect(conversation.frames.at(-1)?.type).toBe("end"), 5_000);
    await conversation.resumeWorkflows();
    expect(await ended(conversation, "t1")).toBe("committed");
    await conversation.submit("t2");
    expect(await ended(conversation, "t2")).toBe("committed");
    const { totals, has_interrupted_turn: interrupted } = await conversation.handle.query(m.describe);
    expect(totals).toMatchObject({ turns: 2 });
    expect(interrupted).toBe(false);
  });

  it("WFL-72 starts no turn while a rebind waits for its worker: what is submitted meanwhile runs on the new model", async () => {
    const gate = new Gate();
    const conversation = await server.converse({
      provider: [answers],
      activities: resolvesAgentAfter(gate),
    });
    const rebind = conversation.handle.executeUpdate(m.rebindUpdate, { args: [OTHER_MODEL] });
    await gate.reached;
    await conversation.submit("t1");
    expect(await conversation.handle.query(m.turn, { turn_id: "t1" })).toMatchObject({ state: "queued" });
    gate.open();
    expect(await rebind).toMatchObject({ model: OTHER_MODEL.agent.model });
    expect(await ended(conversation, "t1")).toBe("committed");
    const [call] =
      (await conversation.handle.fetchHistory()).events?.flatMap(
        ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? [],
      ) ?? [];
    expect(call).toBe("resolveAgent");
  });

  it("WFL-73 refuses a rebind when the conversation is closed while its worker is asked, and then closes", async () => {
    const gate = new Gate();
    const conversation = await server.converse({
      provider: [answers],
      activities: resolvesAgentAfter(gate),
    });
    const rebind = failureOf(conversation.handle.executeUpdate(m.rebindUpdate, { args: [OTHER_MODEL] }));
    await gate.reached;
    await conversation.handle.signal(m.close);
    await vi.waitFor(
      async () => expect((await conversation.handle.query(m.status)).state).toBe("closing"),
      10_000,
    );
    gate.open();
    expect(await rebind).toMatchObject({ type: "RebindRefusedError" });
    await conversation.handle.result();
    expect((await conversation.handle.describe()).status.name).toBe("COMPLETED");
  });

  it("WFL-74 stops the running turn and all that wait when Temporal cancels it, tells who waits, and closes", async () => {
    const reached = new Gate();
    const conversation = await server.converse({
      provider: [
        (hooks) => {
          void reached.pass();
          return hangs(hooks);
        },
      ],
    });
    const waits = failureOf(
      conversation.handle.executeUpdate(m.runTurn, { args: [{ turn_id: "t1", message: "Question" }] }),
    );
    await reached.reached;
    await conversation.submit("t2");
    await conversation.handle.cancel();
    expect(await waits).toMatchObject({
      type: "TurnInterruptedError",
      message: "The conversation was cancelled.",
      details: [{ turn_id: "t1", state: "interrupted" }],
    });
    await conversation.handle.result();
    expect((await conversation.handle.describe()).status.name).toBe("COMPLETED");
    for (const turnId of ["t1", "t2"]) {
      expect(await conversation.turn(turnId)).toMatchObject({
        state: "interrupted",
        interrupted_turn: { error_type: "turn.cancelled", error: "The conversation was cancelled." },
      });
    }
  });

  it("WFL-75 cancels a rebind in flight with a failure that says so, when Temporal cancels the conversation", async () => {
    const gate = new Gate();
    const conversation = await server.converse({
      provider: [answers],
      activities: resolvesAgentAfter(gate),
    });
    const rebind = failureOf(conversation.handle.executeUpdate(m.rebindUpdate, { args: [OTHER_MODEL] }));
    await gate.reached;
    await conversation.handle.cancel();
    expect(await rebind).toMatchObject({
      type: "RebindRefusedError",
      message: "The conversation was cancelled.",
    });
    gate.open();
    await conversation.handle.result();
    expect((await conversation.handle.describe()).status.name).toBe("COMPLETED");
  });

  it("WFL-76 refuses with one line of at most 2 KiB, whatever was sent", async () => {
    const conversation = await server.converse({ provider: [answers] });
    const update = (name: string, argument: unknown): Promise<ApplicationFailure> =>
      failureOf(conversation.handle.executeUpdate(name, { args: [argument] }));
    const long = "x\n".repeat(50_000);
    const refusals = [
      await update("rebind", { agent: { model: long } }),
      await update("rebind", {
        agent: { model: "claude-haiku-4-5", instructions: "", tools: [{ name: long }] },
      }),
      await update("rebind", null),
      await update("submit_turn", { message: 7 }),
      await update("run_turn", [long]),
    ];
    for (const { message } of refusals) {
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2048);
      expect(message).not.toContain("\n");
    }
    await conversation.submit("t1");
    expect(await ended(conversation, "t1")).toBe("committed");
  });

  it("WFL-79 gives run_turn the turn's result, and its record where it failed", async () => {
    const failing: Behaviour = () => Promise.reject(new TypeError("A defect of the worker."));
    const conversation = await server.converse({
      provider: [answers, failing],
      bounds: { providerFailures: 1 },
    });
    const run = (turnId: string): Promise<unknown> =>
      conversation.handle.executeUpdate(m.runTurn, { args: [{ turn_id: turnId, message: "Question" }] });
    expect(await run("t1")).toMatchObject({ turn_id: "t1", output: "An answer." });
    expect(await failureOf(run("t2"))).toMatchObject({
      type: "TurnInterruptedError",
      details: [{ turn_id: "t2", interrupted_turn: { error_type: "worker.error" } }],
    });
    expect(await run("t1")).toMatchObject({ turn_id: "t1", output: "An answer." });
  });
});

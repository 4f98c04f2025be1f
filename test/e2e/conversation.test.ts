import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import type { Receipt, Submission } from "../../src/core/conversation/messages.js";
import type { Envelope } from "../../src/core/envelope/envelope.js";
import {
  ConversationExistsError,
  ConversationNotFoundError,
  RebindRefusedError,
  TurnInterruptedError,
  TurnRefusedError,
  UsageError,
} from "../../src/core/errors/errors.js";
import { fileStack } from "../support/file-stack.js";
import { replay } from "../support/replay.js";
import { acceptedUpdates, countEvents, eventsOf, updateAnswers } from "../support/temporal-view.js";

const agent = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief." });
const sonnet = new Agent({ model: "claude-sonnet-5", instructions: "Be brief." });

const { stack, conversations } = await fileStack();

const turnIds = async (session: Conversation): Promise<readonly string[]> =>
  (await session.toEnvelope()).turn_index.map(({ turn_id }) => turn_id);

/** The users' texts as they stand in the history. */
const questionsOf = async (session: Conversation): Promise<readonly unknown[]> =>
  (await session.messages()).flatMap(({ role, content }) =>
    role === "user" && Array.isArray(content) ? content.map(({ text }) => text) : [],
  );

/**
 * How many turns had ended when each was accepted, which its receipt's place in the queue tells. Where the history has the
 * order of acceptance, the number only grows.
 */
async function endedBeforeEach(session: Conversation): Promise<readonly number[]> {
  const events = await eventsOf(conversations, session.id);
  const receipts = updateAnswers<Receipt>(events);
  return (await turnIds(session)).map(
    (turnId, index) => index - (receipts.get(turnId)?.position ?? Number.NaN),
  );
}

const ascending = (numbers: readonly number[]): readonly number[] =>
  [...numbers].sort((one, other) => one - other);

/** A turn that runs until it is stopped. */
/** The way a page with a viewer asks. */
async function askUntil(session: Conversation, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await session.status();
    await delay(100);
  }
}

async function startEndlessTurn(session: Conversation, turnId = "endless"): Promise<void> {
  stack.simulator.script({ match: { text: "endless" }, fault: { kind: "hang" }, times: null });
  await session.submit("endless", { turnId });
  await stack.simulator.waitForCall(({ lastUserText }) => lastUserText === "endless");
}

const rawHandle = (session: Conversation) => conversations.temporal.workflow.getHandle(session.id);

describe("a turn", () => {
  it("WFL-1 runs to its answer, and question and answer join the history together", async () => {
    const session = await conversations.start(agent);
    stack.simulator.script({ reply: { text: "Clause 4 is about payment.", usage: { input_tokens: 9 } } });
    const turn = await session.submit("What is clause 4 about?");
    const result = await turn.result();
    expect(result).toMatchObject({
      output: "Clause 4 is about payment.",
      turnId: turn.turnId,
      provider: "anthropic",
      model: "claude-haiku-4-5",
      simulated: true,
      providerCalls: 1,
      attempt: 1,
      finishReason: { unified: "stop" },
      messages: { from: 0, to: 2 },
      mediaUploads: [],
    });
    expect(result.usage.input_tokens).toBe(9);
    expect(await session.messages()).toMatchObject([
      { role: "user", content: [{ type: "text", text: "What is clause 4 about?" }] },
      { role: "assistant", content: [{ type: "text", text: "Clause 4 is about payment." }] },
    ]);
    expect(await session.turn(turn.turnId).view()).toMatchObject({ state: "committed" });
    expect(await session.turn(turn.turnId).result()).toEqual(result);
    expect((await session.run("And clause 5?")).messages).toEqual({ from: 2, to: 4 });
  });

  it("WFL-2 runs once under its id, whoever submits it again and when", async () => {
    const session = await conversations.start(agent, { id: "idempotent" });
    const [first, second] = await Promise.all([
      session.run("Once?", { turnId: "t1" }),
      (await conversations.open("idempotent")).run("Once?", { turnId: "t1" }),
    ]);
    expect(second).toEqual(first);
    expect(await session.run("Something else entirely", { turnId: "t1" })).toEqual(first);
    await rawHandle(session).signal("submit_turn", { message: "Once?", turn_id: "t1" });
    const restored = await conversations.fromEnvelope(await session.toEnvelope(), { id: "idempotent-copy" });
    expect((await restored.run("Once?", { turnId: "t1" })).output).toBe(first.output);
    expect(stack.simulator.calls).toHaveLength(1);
    expect((await session.status()).run_count).toBe(1);
    expect((await restored.status()).run_count).toBe(1);
  });

  it("WFL-3 is answered in the order of acceptance, with twenty callers at once", async () => {
    const session = await conversations.start(agent);
    const questions = Array.from({ length: 20 }, (_, index) => `question ${index}`);
    const results = await Promise.all(
      questions.map((question) => session.run(question, { turnId: question })),
    );
    expect(results.map(({ output }, index) => output.includes(`question ${index}`))).not.toContain(false);
    const accepted = acceptedUpdates(await eventsOf(conversations, session.id));
    expect([...accepted].sort()).toEqual([...questions].sort());
    expect(await turnIds(session)).toEqual(accepted);
    expect(stack.simulator.calls.map(({ lastUserText }) => lastUserText)).toEqual(accepted);
    expect(await questionsOf(session)).toEqual(accepted);
    const ended = await endedBeforeEach(session);
    expect(ended).toEqual(ascending(ended));
    expect(ended.every((number) => number >= 0)).toBe(true);
    expect((await session.messages()).length).toBe(40);
  });

  it("WFL-4 ends for each of a hundred callers from two connections", async () => {
    const session = await conversations.start(agent);
    await using elsewhere = await stack.conversations();
    const other = await elsewhere.open(session.id);
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? session : other).run(`question ${index}`)),
    );
    expect(new Set(results.map(({ turnId }) => turnId)).size).toBe(100);
    expect(results.map(({ output }, index) => output.includes(`question ${index}`))).not.toContain(false);
    expect(await session.status()).toMatchObject({ run_count: 100, message_count: 200, state: "idle" });
    const accepted = acceptedUpdates(await eventsOf(conversations, session.id));
    expect(await turnIds(session)).toEqual(accepted);
    const asked = new Map(results.map(({ turnId }, index) => [turnId, `question ${index}`]));
    expect(await questionsOf(session)).toEqual(accepted.map((turnId) => asked.get(turnId)));
    const ended = await endedBeforeEach(session);
    expect([ended.length, ended]).toEqual([100, ascending(ended)]);
    expect(ended.every((number) => number >= 0)).toBe(true);
    await replay(conversations, session.id);
  }, 120_000);

  it("WFL-111 leaves a history that replays, while others ask how it stands", async () => {
    const sessions = await Promise.all(Array.from({ length: 3 }, () => conversations.start(agent)));
    await Promise.all(
      sessions.map(async (session) => {
        const asked = new AbortController();
        const asking = askUntil(session, asked.signal);
        await Promise.all(Array.from({ length: 25 }, (_, index) => session.run(`question ${index}`)));
        asked.abort();
        await asking;
      }),
    );
    for (const session of sessions) await replay(conversations, session.id);
    expect((await sessions[0]?.status())?.run_count).toBe(25);
  }, 120_000);

  it("WFL-5 keeps its model: a rebind is refused at once while turns run or wait", async () => {
    const session = await conversations.start(agent);
    await startEndlessTurn(session);
    const waiting = Array.from({ length: 20 }, (_, index) => session.run(`question ${index}`));
    await expect(session.rebind(sonnet)).rejects.toBeInstanceOf(RebindRefusedError);
    await session.rebind(sonnet, { wait: false });
    await expect
      .poll(async () => (await session.status()).refusals)
      .toMatchObject([{ name: "rebind", error: expect.stringContaining("running or waiting") }]);
    await session.cancel("endless");
    await Promise.all(waiting);
    expect((await session.metadata()).served_models).toHaveLength(1);
  });

  it("WFL-6 is refused as busy where it may not wait", async () => {
    const session = await conversations.start(agent);
    await startEndlessTurn(session);
    const refused = await session.run("Now?", { onBusy: "reject" }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TurnRefusedError);
    expect(refused).toMatchObject({ reason: "busy", exitCode: 3 });
    await session.cancel();
    await session
      .turn("endless")
      .result()
      .catch(() => undefined);
    expect((await session.run("Now?", { onBusy: "reject" })).output).toContain("Now?");
    expect(await turnIds(session)).toHaveLength(2);
  });

  it("WFL-7 may interrupt the one that runs, and goes before those that wait", async () => {
    const session = await conversations.start(agent);
    await startEndlessTurn(session);
    const stopped = session.turn("endless").result();
    const waiting = await session.submit("I wait", { turnId: "waiting" });
    const urgent = session.run("Urgent", { turnId: "urgent", onBusy: "interrupt" });
    await expect(stopped).rejects.toMatchObject({ record: { error_type: "turn.cancelled" } });
    await Promise.all([urgent, waiting.result()]);
    expect(await turnIds(session)).toEqual(["endless", "urgent", "waiting"]);
    expect((await session.messages()).length).toBe(4);
  });
});

describe("messages by hand", () => {
  it("WFL-8 `run_turn` waits inside for at most four callers", async () => {
    const session = await conversations.start(agent);
    const handle = rawHandle(session);
    const runTurn = (message: string): Promise<{ output: string }> =>
      handle.executeUpdate<{ output: string }, [Submission]>("run_turn", { args: [{ message }] });
    expect(await runTurn("By hand")).toMatchObject({ output: expect.stringContaining("By hand") });
    await startEndlessTurn(session);
    const four = [0, 1, 2, 3].map((index) => runTurn(`caller ${index}`));
    await expect.poll(async () => (await session.status()).queued.length).toBe(4);
    await expect(runTurn("caller 4")).rejects.toMatchObject({
      cause: { type: "TurnRefusedError", details: [{ reason: "too_many_waiting" }] },
    });
    await session.cancel("endless");
    const outputs = (await Promise.all(four)).map(({ output }, index) => output.includes(`caller ${index}`));
    expect(outputs).toEqual([true, true, true, true]);
    stack.simulator.script({ fault: { kind: "status", status: 400, message: "No such parameter." } });
    await expect(runTurn("Refused")).rejects.toMatchObject({
      cause: { type: "TurnInterruptedError", message: expect.stringContaining("No such parameter.") },
    });
  });

  it("WFL-9 `submit_turn` as a signal needs nothing but a message, and queries answer by name", async () => {
    const session = await conversations.start(agent);
    const handle = rawHandle(session);
    await handle.signal("submit_turn", { message: "Signalled" });
    await expect.poll(async () => (await session.status()).run_count).toBe(1);
    expect(await handle.query("status")).toMatchObject({ state: "idle", message_count: 2 });
    expect(await handle.query("describe")).toMatchObject({ totals: { turns: 1 }, agent_name: null });
    expect(await handle.query("metadata")).toMatchObject({ run_count: 1 });
    expect(await handle.query("prefix_change_report")).toBeNull();
    expect(await handle.query("persistence_report")).toMatchObject({ message_count: 2, media: { total: 0 } });
    expect(await handle.query("messages", { from: 1, limit: 1 })).toMatchObject({
      entries: [{ index: 1, value: { role: "assistant" } }],
      total: 2,
      next: null,
    });
    const [turnId] = await turnIds(session);
    expect(await handle.query("turn", { turn_id: turnId })).toMatchObject({ state: "committed" });
    expect(await handle.query("turn", { turn_id: "no such turn" })).toMatchObject({ state: "unknown" });
    for (const name of ["interrupted_turn", "conversion_report", "media_report", "envelope", "transcript"]) {
      expect(await handle.query(name), name).toMatchObject({ entries: expect.any(Array), next: null });
    }
  });

  it("WFL-12 a receipt tells how many turns are before it", async () => {
    const session = await conversations.start(agent);
    await startEndlessTurn(session);
    const submit = (turn_id: string): Promise<Receipt> =>
      rawHandle(session).executeUpdate<Receipt, [Submission]>("submit_turn", {
        args: [{ message: turn_id, turn_id }],
      });
    expect(await submit("second")).toEqual({ turn_id: "second", position: 1, state: "queued" });
    expect(await submit("third")).toEqual({ turn_id: "third", position: 2, state: "queued" });
    expect(await submit("endless")).toEqual({ turn_id: "endless", position: 0, state: "running" });
    await session.cancel("endless");
    await session.turn("third").result();
    expect(await submit("second")).toEqual({ turn_id: "second", position: 0, state: "committed" });
  });
});

describe("a history", () => {
  it("WFL-17 replays, whoever spoke to the conversation at once from its first moment on", async () => {
    await using elsewhere = await stack.conversations();
    for (let round = 0; round < 4; round++) {
      const session = await conversations.start(agent);
      const other = await elsewhere.open(session.id);
      if (round % 2 === 1) await session.status();
      const callers = Array.from({ length: 12 }, (_, index) => async (): Promise<unknown> => {
        const message = `question ${index}`;
        if (index % 4 === 1) return rawHandle(session).executeUpdate("run_turn", { args: [{ message }] });
        if (index % 4 === 3) return other.rebind(sonnet);
        return (index % 4 === 0 ? session : other).run(message);
      });
      await Promise.allSettled(callers.map((call) => call()));
      await expect(replay(conversations, session.id), `round ${round}`).resolves.toBeUndefined();
    }
  });

  it("WFL-18 has an event of the workflow's own behind its first task, so that a replay does not join it with the next", async () => {
    const session = await conversations.start(agent);
    await session.run("First");
    const events = await eventsOf(conversations, session.id);
    const first = events.findIndex(({ workflowTaskCompletedEventAttributes: done }) => done != null);
    expect(events[first + 1]?.workflowPropertiesModifiedEventAttributes).toBeTruthy();
  });
});

describe("a rebind", () => {
  it("WFL-13 continues on another model of the provider with the whole history, and the last entry of served_models says so", async () => {
    const session = await conversations.start(agent);
    await session.run("First");
    await session.rebind(sonnet);
    expect(await session.run("Second")).toMatchObject({ model: "claude-sonnet-5" });
    expect(stack.simulator.calls.at(-1)).toMatchObject({ model: "claude-sonnet-5" });
    const sent = stack.simulator.calls.at(-1)?.body as { messages: readonly unknown[] };
    expect(sent.messages).toHaveLength(3);
    expect((await session.metadata()).served_models).toMatchObject([
      { event: "start", model: "claude-haiku-4-5", turn: 0 },
      { event: "rebind", model: "claude-sonnet-5", turn: 1, from: { model: "claude-haiku-4-5" } },
    ]);
    expect(await session.prefixChangeReport()).toBeNull();
    await session.rebind("claude-haiku-4-5");
    expect(await session.describe()).toMatchObject({ model: "claude-haiku-4-5" });
  });

  it("WFL-14 to a model that nobody serves is refused and changes nothing", async () => {
    const session = await conversations.start(agent);
    await session.run("First");
    await expect(session.rebind("no-such-model")).rejects.toBeInstanceOf(UsageError);
    expect(await session.run("Second")).toMatchObject({ model: "claude-haiku-4-5" });
  });
});

async function holdsTheLastEnvelope(place: Conversations, before: Envelope): Promise<void> {
  const again = await place.open(before.conversation_id);
  expect(await again.status()).toMatchObject({ state: "closed", run_count: 1 });
  expect(await again.messages()).toEqual(before.messages);
  const after = await again.toEnvelope();
  expect({ ...after, saved_at: "", checksum: "" }).toEqual({ ...before, saved_at: "", checksum: "" });
  expect(JSON.parse(await again.toJson())).toMatchObject({ conversation_id: before.conversation_id });
  expect(await place.list({ closed: true })).toContainEqual(
    expect.objectContaining({
      id: before.conversation_id,
      state: "closed",
      run_count: 1,
      model: before.model,
    }),
  );
}

describe("a close", () => {
  it("WFL-10 lets the queue drain first", async () => {
    const session = await conversations.start(agent);
    stack.simulator.script({
      match: { text: "slow" },
      reply: { text: "done" },
      pace: { minimumReplyMs: 400 },
    });
    const slow = await session.submit("slow");
    const last = await session.submit("last");
    const closed = session.close();
    await expect.poll(async () => (await session.status()).state).toBe("closing");
    await expect(session.run("too late")).rejects.toMatchObject({ reason: "closed" });
    await closed;
    const kept = await (await conversations.open(session.id)).toEnvelope();
    expect(kept.turn_index.map(({ turn_id }) => turn_id)).toEqual([slow.turnId, last.turnId]);
    expect(kept.messages).toHaveLength(4);
  });

  it("WFL-11 also ends what Temporal's own cancel cancels: the turn stops, the last envelope is kept", async () => {
    const session = await conversations.start(agent);
    await session.run("First");
    await startEndlessTurn(session);
    await session.submit("Waiting", { turnId: "waiting" });
    await rawHandle(session).cancel();
    await rawHandle(session).result();
    const kept = await (await conversations.open(session.id)).toEnvelope();
    expect(kept.turn_index).toMatchObject([
      { state: "committed" },
      { turn_id: "waiting", state: "interrupted" },
      { turn_id: "endless", state: "interrupted", record: { error_type: "turn.cancelled" } },
    ]);
    expect(kept).toMatchObject({ interrupted_turn: { turn_id: "endless" }, metadata: { run_count: 1 } });
  });

  it("API-50 leaves an envelope that is opened, exported and listed, also once the server has forgotten the conversation", async () => {
    const session = await conversations.start(agent);
    await session.run("First");
    const before = await session.toEnvelope();
    await session.close();
    // A namespace that never knew it stands for a server that has forgotten it.
    const { mediaStore } = conversations.settings;
    const address = conversations.settings.connection.address ?? "";
    const forgetful = await stack.conversations({ address, namespace: "default", mediaStore });
    expect((await conversations.list()).map(({ id }) => id)).not.toContain(session.id);
    for (const place of [conversations, forgetful]) await holdsTheLastEnvelope(place, before);
    expect((await conversations.fromEnvelope(before)).id).toBe(session.id);
  });

  it("API-51 takes the id: a start on it is refused, unless it shall replace", async () => {
    const session = await conversations.start(agent, { id: "closed-id" });
    await session.run("First");
    await session.close();
    for (const ifExists of ["error", "open"] as const) {
      await expect(conversations.start(agent, { id: "closed-id", ifExists })).rejects.toBeInstanceOf(
        ConversationExistsError,
      );
    }
    const replaced = await conversations.start(agent, { id: "closed-id", ifExists: "replace" });
    expect(await replaced.status()).toMatchObject({ state: "idle", run_count: 0 });
  });

  it("API-52 is final: a turn on it is refused as closed, and to close again does nothing", async () => {
    const session = await conversations.start(agent);
    await session.run("First");
    await session.close();
    const reopened = await conversations.open(session.id);
    for (const handle of [session, reopened]) {
      const refused = await handle.run("More").catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(TurnRefusedError);
      expect(refused).toMatchObject({ reason: "closed" });
      await expect(handle.submit("More")).rejects.toMatchObject({ reason: "closed" });
      await expect(handle.rebind(sonnet)).rejects.toBeInstanceOf(RebindRefusedError);
      await expect(handle.previewRebind(sonnet)).rejects.toBeInstanceOf(RebindRefusedError);
      await handle.close();
    }
    expect((await reopened.status()).run_count).toBe(1);
  });
});

describe("an id", () => {
  it("API-53 of an open conversation is refused, opened or replaced, as told", async () => {
    const first = await conversations.start(agent, { id: "taken" });
    await first.run("First");
    await expect(conversations.start(agent, { id: "taken" })).rejects.toThrow(/open\("taken"\)/);
    const same = await conversations.start(sonnet, { id: "taken", ifExists: "open" });
    expect(await same.status()).toMatchObject({ run_count: 1, model: "claude-haiku-4-5" });
    const fresh = await conversations.start(sonnet, { id: "taken", ifExists: "replace" });
    expect(await fresh.status()).toMatchObject({ run_count: 0, model: "claude-sonnet-5" });
    expect(await conversations.list({ closed: true })).toContainEqual(
      expect.objectContaining({ id: "taken", run_count: 1 }),
    );
  });

  it("API-92 that nobody has is started by the first turn, in one call to the server, or by any other use", async () => {
    const asked = await conversations.start(agent, { id: "by-its-first-turn", ifExists: "open" });
    await expect(conversations.open(asked.id)).rejects.toBeInstanceOf(ConversationNotFoundError);
    expect((await asked.run("First")).output).toContain("First");
    const events = await eventsOf(conversations, asked.id);
    const accepted = events.findIndex(
      (event) => event.workflowExecutionUpdateAcceptedEventAttributes != null,
    );
    expect(countEvents(events.slice(0, accepted), "EVENT_TYPE_WORKFLOW_TASK_COMPLETED")).toBe(1);
    await replay(conversations, asked.id);
    expect((await asked.run("Second")).messages).toEqual({ from: 2, to: 4 });
    const looked = await conversations.start(agent, { id: "by-a-look", ifExists: "open" });
    expect(await looked.status()).toMatchObject({ state: "idle", run_count: 0 });
    const closed = await conversations.start(agent, { id: "by-its-close", ifExists: "open" });
    await closed.close();
    expect(await conversations.list({ closed: true })).toContainEqual(
      expect.objectContaining({ id: closed.id }),
    );
  });

  it("API-93 is started once by all who start it at once and may open it", async () => {
    await using elsewhere = await stack.conversations();
    const handles = await Promise.all(
      [conversations, elsewhere, conversations, elsewhere].map((from) =>
        from.start(agent, { id: "at-once", ifExists: "open" }),
      ),
    );
    const results = await Promise.all(handles.map((handle, index) => handle.run(`question ${index}`)));
    expect(results.map(({ output }, index) => output.includes(`question ${index}`))).not.toContain(false);
    expect((await conversations.open("at-once").then((one) => one.status())).run_count).toBe(4);
  });

  it("API-94 is not started anew when it was closed before the first use", async () => {
    const late = await conversations.start(agent, { id: "closed-before-use", ifExists: "open" });
    const early = await conversations.start(agent, { id: "closed-before-use" });
    await early.close();
    await expect(late.run("First")).rejects.toBeInstanceOf(ConversationExistsError);
    await expect(late.status()).rejects.toBeInstanceOf(ConversationExistsError);
  });

  it("API-54 that nobody has is not found, and one that fits no line is refused", async () => {
    await expect(conversations.open("nobody")).rejects.toBeInstanceOf(ConversationNotFoundError);
    await expect(conversations.start(agent, { id: " " })).rejects.toBeInstanceOf(UsageError);
    await expect(conversations.start(agent, { id: "x".repeat(501) })).rejects.toBeInstanceOf(UsageError);
  });
});

describe("a restore", () => {
  it("API-55 never changes a running conversation: its id is refused, another id makes a copy", async () => {
    const session = await conversations.start(agent, { id: "original" });
    await session.run("First");
    const text = await session.toJson();
    const refused = await conversations.fromJson(text).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConversationExistsError);
    expect((refused as Error).message).toMatch(/open\("original"\).*another id.*replace/);
    const copy = await conversations.fromJson(text, { id: "copy" });
    expect((await copy.run("Second")).messages).toEqual({ from: 2, to: 4 });
    expect(await copy.toEnvelope()).toMatchObject({
      conversation_id: "copy",
      copied_from: { conversation_id: "original", turn: 1 },
      metadata: { run_count: 2 },
    });
    expect((await session.status()).run_count).toBe(1);
    const replaced = await conversations.fromJson(text, { ifExists: "replace" });
    expect(replaced.id).toBe("original");
    expect(await replaced.status()).toMatchObject({ run_count: 1, restored_from_schema_version: 3 });
  });

  it("API-56 continues under another model of the provider, and says so in served_models", async () => {
    const session = await conversations.start(agent);
    await session.run("First");
    const restored = await conversations.fromJson(await session.toJson(), {
      id: "under-sonnet",
      agent: sonnet,
    });
    expect(await restored.run("Second")).toMatchObject({ model: "claude-sonnet-5" });
    expect((await restored.metadata()).served_models).toMatchObject([
      { event: "start", model: "claude-haiku-4-5" },
      { event: "restore", model: "claude-sonnet-5", turn: 1, from: { model: "claude-haiku-4-5" } },
    ]);
    expect(await restored.convertedFrom()).toBeNull();
    expect(await restored.prefixChangedOnResume()).toBe(false);
    expect((await restored.toEnvelope()).messages.slice(0, 2)).toEqual(await session.messages());
  });

  it("API-57 reports what of the prefix has moved", async () => {
    const session = await conversations.start(agent);
    await session.run("First");
    const changed = new Agent({ model: "claude-haiku-4-5", instructions: "Be thorough." });
    const restored = await conversations.fromJson(await session.toJson(), { id: "moved", agent: changed });
    expect(await restored.prefixChangeReport()).toEqual({
      instructions: true,
      tools: { added: [], removed: [], changed: [] },
    });
    expect(await restored.prefixChangedOnResume()).toBe(true);
    expect(await restored.run("Second")).toMatchObject({ output: expect.any(String) });
    expect(stack.simulator.calls.at(-1)?.body).toMatchObject({ system: [{ text: "Be thorough." }] });
  });

  it("API-58 keeps the record of an interrupted turn until the next turn starts", async () => {
    const session = await conversations.start(agent);
    stack.simulator.script({ fault: { kind: "status", status: 403, message: "Not for you." } });
    const failure = await session.run("First", { turnId: "failed" }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TurnInterruptedError);
    const restored = await conversations.fromJson(await session.toJson(), { id: "still-interrupted" });
    expect(await restored.interruptedTurn()).toEqual(await session.interruptedTurn());
    const again = await restored.resend();
    expect(again.output).toContain("First");
    expect(await restored.interruptedTurn()).toBeNull();
    expect(await restored.turn("failed").view()).toMatchObject({ state: "interrupted" });
  });
});

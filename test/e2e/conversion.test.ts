/** Histories that change their provider: on a restore, and in a live conversation, on a real server. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import type { RebindRequest } from "../../src/core/conversation/messages.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import type { Envelope, NativeMessage } from "../../src/core/envelope/envelope.js";
import { SessionCompatibilityError } from "../../src/core/errors/errors.js";
import { DIALECT_NAMES, type DialectName } from "../../src/core/providers.js";
import * as m from "../../src/workflows/messages.js";
import { historiesOf } from "../support/short-runs.js";
import { repositoryRoot } from "../support/source-file.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import { eventText } from "../support/temporal-view.js";

const MODELS: Readonly<Record<DialectName, string>> = {
  anthropic: "claude-haiku-4-5",
  openai: "gpt-6-luna",
  google: "gemini-3.5-flash-lite",
  fireworks: "accounts/fireworks/models/kimi-k3",
};
const instructions = "You review contracts. Be brief.";
const contract = join(repositoryRoot, "examples/contract.pdf");
const agentOn = (dialect: DialectName): Agent => new Agent({ model: MODELS[dialect], instructions });
const PAIRS = DIALECT_NAMES.flatMap((from) =>
  DIALECT_NAMES.filter((to) => to !== from).map((to) => ({ from, to })),
);

/** A history with a tool round, in Anthropic's dialect, whose id OpenAI would refuse. */
const round: readonly NativeMessage[] = [
  { role: "user", content: "What does clause 4 say?" },
  {
    role: "assistant",
    content: [{ type: "tool_use", id: `toolu_${"x".repeat(70)}`, name: "look_up", input: { clause: 4 } }],
  },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: `toolu_${"x".repeat(70)}`, content: "Payment." }],
  },
  { role: "assistant", content: [{ type: "text", text: "It is about payment." }] },
];
const saved = (messages: readonly NativeMessage[]): unknown => ({
  schema_version: 1,
  provider: "anthropic",
  model: MODELS.anthropic,
  messages,
});

/** A stack of its own, whose one worker must not convert. */
async function startConversionOff(): Promise<AsyncDisposable & { readonly conversations: Conversations }> {
  const stack = await startTestStack({ workers: 0 });
  await stack.startWorker({ HOLDFAST_CONVERSION: "off" });
  return { conversations: await stack.conversations(), [Symbol.asyncDispose]: () => stack.stop() };
}

describe("a history under another provider", () => {
  let stack: TestStack;
  let conversations: Conversations;
  let count = 0;
  const newId = (): string => `conversion-${++count}`;
  const start = (dialect: DialectName): Promise<Conversation> =>
    conversations.start(agentOn(dialect), { id: newId() });

  beforeAll(async () => {
    stack = await startTestStack();
    conversations = await stack.conversations();
  });
  afterAll(() => stack.stop());

  it("REC-4 restores a tool-using history under another provider: its source named, every re-key reported, the round intact", async () => {
    const session = await conversations.fromEnvelope(saved(round), { agent: agentOn("openai"), id: newId() });
    expect(await session.convertedFrom()).toBe("anthropic");
    expect((await session.conversionReport()).map(({ kind }) => kind)).toEqual(["rekeyed"]);
    await session.run("And clause 5?");
    const messages = await session.messages();
    const [call, output] = [messages[1], messages[2]];
    expect([call?.type, call?.name, output?.type, output?.output]).toEqual([
      "function_call",
      "look_up",
      "function_call_output",
      "Payment.",
    ]);
    expect(output?.call_id).toBe(call?.call_id);
    expect((await session.metadata()).served_models.at(-1)).toMatchObject({
      event: "restore",
      provider: "openai",
      from: { provider: "anthropic" },
    });
    expect(JSON.parse(await session.toJson())).toMatchObject({
      converted_from: "anthropic",
      conversion_report: [{ kind: "rekeyed" }],
    });
  });

  it("REC-5 refuses only a history that ends inside a tool round, and starts nothing then", async () => {
    const id = newId();
    const restoring = conversations.fromEnvelope(saved(round.slice(0, 2)), { agent: agentOn("google"), id });
    await expect(restoring).rejects.toThrow(SessionCompatibilityError);
    await expect(conversations.open(id)).rejects.toThrow("There is no conversation");
  });

  it("REC-6 converts a history of plain text silently: its source is named, its report is empty", async () => {
    const plain = [
      { role: "user", content: "Hello." },
      { role: "assistant", content: "Good day." },
    ];
    const session = await conversations.fromEnvelope(saved(plain), {
      agent: agentOn("fireworks"),
      id: newId(),
    });
    expect([await session.convertedFrom(), await session.conversionReport()]).toEqual(["anthropic", []]);
    expect(await session.messages()).toEqual(plain);
  });

  it.each(PAIRS)(
    "WFL-90 moves a live conversation from $from to $to and back, byte for byte",
    async ({ from, to }) => {
      const session = await start(from);
      await session.run("Summarise clause 4.", from === "fireworks" ? {} : { files: [contract] });
      const before = JSON.stringify(await session.messages());
      await session.rebind(agentOn(to));
      const there = await session.run("And clause 5?");
      expect(there.provider).toBe(to);
      expect(await session.convertedFrom()).toBe(from);
      await session.rebind(agentOn(from));
      const back = await session.run("And clause 6?");
      expect(back.provider).toBe(from);
      const messages = await session.messages();
      expect(JSON.stringify(messages).startsWith(before.slice(0, -1))).toBe(true);
      expect(messages.filter((message) => dialectFor(from).startsTurn(message))).toHaveLength(3);
      const envelope: Envelope = await session.toEnvelope();
      expect(
        envelope.turn_index.map(
          (entry) => entry.state === "committed" && [entry.provider, messages[entry.from] !== undefined],
        ),
      ).toEqual([
        [from, true],
        [to, true],
        [from, true],
      ]);
      expect(envelope.metadata.served_models.map(({ event, provider }) => [event, provider])).toEqual([
        ["start", from],
        ["rebind", to],
        ["rebind", from],
      ]);
    },
  );

  it("WFL-91 leaves a conversation as it was when the conversion is refused, and says why by update and by signal", async () => {
    const session = await conversations.fromEnvelope(saved(round.slice(0, 2)), {
      agent: agentOn("anthropic"),
      id: newId(),
    });
    const before = await session.messages();
    await expect(session.rebind(agentOn("google"))).rejects.toThrow(SessionCompatibilityError);
    await session.rebind(agentOn("google"), { wait: false });
    await expect
      .poll(async () => (await session.status()).refusals.map(({ error }) => error))
      .toEqual([expect.stringContaining("ends inside a tool round")]);
    expect([await session.messages(), (await session.status()).provider]).toEqual([before, "anthropic"]);
  });

  it("WFL-92 previews a rebind: the report, the messages and the tokens, and nothing is changed", async () => {
    const session = await start("anthropic");
    await session.run("Summarise clause 4.", { files: [contract] });
    const before = await session.toEnvelope();
    const preview = await session.previewRebind(agentOn("fireworks"));
    expect(preview).toMatchObject({
      converted_from: "anthropic",
      message_count: 2,
      report: [{ kind: "dropped", artefact: "media", index: 0 }],
    });
    expect(preview.estimated_tokens).toBeGreaterThan(10);
    const after = await session.toEnvelope();
    expect({ ...after, saved_at: "", checksum: "" }).toEqual({ ...before, saved_at: "", checksum: "" });
  });

  it("WFL-93 keeps messages that come while a history is converted, and answers them under the new provider", async () => {
    const session = await start("anthropic");
    await session.run("First.");
    const handle = conversations.temporal.workflow.getHandle(session.id);
    const args: [RebindRequest] = [{ agent: agentOn("openai").spec }];
    const rebinding = await handle.startUpdate(m.rebindUpdate, { args, waitForStage: "ACCEPTED" });
    const answer = await session.run("Second.");
    expect(answer).toMatchObject({ provider: "openai", output: expect.stringContaining("Second.") });
    expect(await rebinding.result()).toMatchObject({ provider: "openai" });
    expect((await session.status()).run_count).toBe(2);
  });

  it("WFL-94 puts the transcript into no event but the conversion's result and the state that a run hands to the next", async () => {
    const session = await start("anthropic");
    const needle = "a sentence that nobody else would write";
    await session.run(`Remember ${needle}.`);
    await session.run("Second.");
    await session.rebind(agentOn("openai"));
    await session.run("Third.");
    const runs = (await historiesOf(conversations, session.id)).map(({ events }) =>
      (events ?? []).filter((event) => eventText(event).includes(needle)),
    );
    // The accepted message, the call that got it, the call's answer, the converted history, and the state at the run's end.
    expect(runs.map(({ length }) => length)).toEqual([5, 1]);
    expect(runs[0]?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes).toBeTruthy();
    expect(runs[1]?.[0]?.workflowExecutionStartedEventAttributes).toBeTruthy();
  });

  it("WFL-95 refuses every change of provider where conversion is turned off, histories of plain text excepted", async () => {
    const session = await conversations.fromEnvelope(saved(round), {
      agent: agentOn("anthropic"),
      id: newId(),
    });
    const options = { agent: agentOn("google"), id: newId(), convert: false };
    await expect(conversations.fromEnvelope(await session.toEnvelope(), options)).rejects.toThrow(
      "conversion is turned off",
    );
    const plain = await start("anthropic");
    await plain.run("Hello.");
    const moved = await conversations.fromEnvelope(await plain.toEnvelope(), { ...options, id: newId() });
    expect((await moved.run("Still there?")).provider).toBe("google");
  });

  it("WFL-95 refuses a rebind and its preview too, for one call or one client, and changes nothing; plain text moves", async () => {
    const session = await conversations.fromEnvelope(saved(round), {
      agent: agentOn("anthropic"),
      id: newId(),
    });
    const before = await session.messages();
    const off = "conversion is turned off";
    await expect(session.rebind(agentOn("google"), { convert: false })).rejects.toThrow(
      SessionCompatibilityError,
    );
    await expect(session.previewRebind(MODELS.openai, { convert: false })).rejects.toThrow(off);
    const guarded = await stack.conversations({ env: { ...process.env, HOLDFAST_CONVERSION: "off" } });
    const there = await guarded.open(session.id);
    await expect(there.rebind(MODELS.openai)).rejects.toThrow(off);
    await session.rebind(agentOn("google"), { wait: false, convert: false });
    await expect
      .poll(async () => (await session.status()).refusals.map(({ error }) => error))
      .toEqual([expect.stringContaining(off)]);
    expect([await session.messages(), (await session.status()).provider]).toEqual([before, "anthropic"]);
    await session.rebind("claude-opus-5-5", { convert: false });
    await there.rebind(MODELS.openai, { convert: true });
    expect((await session.status()).provider).toBe("openai");
    const plain = await start("anthropic");
    await plain.run("Hello.");
    await plain.rebind(MODELS.google, { convert: false });
    expect((await plain.run("Still there?")).provider).toBe("google");
  });

  it("WFL-95 refuses a rebind on a worker whose HOLDFAST_CONVERSION is off, whatever the call says", async () => {
    await using elsewhere = await startConversionOff();
    const session = await elsewhere.conversations.fromEnvelope(saved(round), { id: newId() });
    await expect(session.rebind(MODELS.openai, { convert: true })).rejects.toThrow(SessionCompatibilityError);
    expect((await session.status()).provider).toBe("anthropic");
  });

  it("WFL-96 exports what only the attic holds with its bytes, counted exactly, and gives it back after a restore", async () => {
    const session = await start("anthropic");
    await session.run("Summarise clause 4.", { files: [contract] });
    const before = JSON.stringify(await session.messages());
    await session.rebind(agentOn("fireworks"));
    await session.run("And clause 5?");
    const text = await session.toJson();
    expect((await session.persistenceReport()).size_bytes).toBe(Buffer.byteLength(text));
    const elsewhere = await stack.conversations({ mediaStore: join(stack.folder, "other-media") });
    const restored = await elsewhere.fromJson(text, { agent: agentOn("anthropic"), id: newId() });
    expect(JSON.stringify((await restored.messages()).slice(0, 2))).toBe(before);
  });
});

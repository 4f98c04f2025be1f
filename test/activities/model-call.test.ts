import { createHash } from "node:crypto";
import { setImmediate as nextRound } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { ActivityDependencies } from "../../src/activities/dependencies.js";
import { DEFAULT_BOUNDS } from "../../src/activities/dependencies.js";
import { callProvider, type ModelCall } from "../../src/activities/model-call.js";
import { TurnFrames } from "../../src/activities/turn-frames.js";
import { Agent, type AgentSpec } from "../../src/core/agent.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import { prefixOf } from "../../src/core/envelope/fingerprint.js";
import { ProviderFailure } from "../../src/core/errors/provider-failure.js";
import { EMPTY_ROOT, extendRoot } from "../../src/core/hash.js";
import type { JsonObject } from "../../src/core/json.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import type { ModelProvider } from "../../src/providers/provider.js";
import { createProviders } from "../../src/providers/providers.js";
import { providerSettings } from "../../src/providers/settings.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";
import { activityWorld, callInput, replyOf } from "../support/activity-world.js";
import { freshConversation, ONE_CALL } from "../support/conversation-samples.js";

interface Scene {
  readonly agent?: Partial<AgentSpec>;
  readonly call?: ModelProvider["call"];
  readonly dependencies?: Partial<ActivityDependencies>;
  readonly input?: Partial<ModelCall["input"]>;
  readonly signal?: AbortSignal;
  readonly messages?: ModelCall["transcript"]["messages"];
  readonly served?: ModelCall["transcript"]["served"];
}

function play({ agent = {}, call, dependencies, input, messages = [], served = [], ...rest }: Scene) {
  const world = activityWorld(call, dependencies);
  const state = freshConversation({ agent });
  let calls = 0;
  const modelCall: ModelCall = {
    input: callInput(state, { root: extendRoot(EMPTY_ROOT, messages), ...input }),
    transcript: {
      agent: state.head.agent,
      system: "Clause 4 is long.",
      served,
      messages: deepFreeze(messages),
    },
    frames: new TurnFrames(world.dependencies.frames, { conversation: "review", turn: "t", attempt: 2 }),
    attempt: 2,
    signal: rest.signal ?? new AbortController().signal,
    onCall: () => ++calls,
  };
  return { ...world, calls: () => calls, answered: callProvider(world.dependencies, modelCall) };
}

const pdf = new TextEncoder().encode("%PDF-1.7 a contract");
const key = `${createHash("sha256").update(pdf).digest("hex")}.pdf`;
const file = { marker: `$media:${key}`, mime_type: "application/pdf", size_bytes: pdf.length, name: "c.pdf" };
const deployed = new Agent({
  name: "reviewer",
  model: "claude-opus-5-5",
  instructions: "Be thorough.",
  params: { max_tokens: 9 },
});
const agents = new Map([["reviewer", deployed]]);

describe("one call to the provider", () => {
  it("ACT-300 leaves nothing behind that the bound of a call would keep for its minutes", async () => {
    const signals: WeakRef<AbortSignal>[] = [];
    const call: ModelProvider["call"] = async (_request, { signal }) => {
      // As the SDKs do, which leave it there.
      signal.addEventListener("abort", () => undefined);
      signals.push(new WeakRef(signal));
      return replyOf();
    };
    const caller = new AbortController();
    for (let turn = 0; turn < 20; turn++) await play({ call, signal: caller.signal }).answered;
    setFlagsFromString("--expose-gc");
    const collect: unknown = runInNewContext("gc");
    for (let round = 0; round < 3; round++) {
      await nextRound();
      if (typeof collect === "function") collect();
    }
    expect(signals).toHaveLength(20);
    // The last one may still lie on the stack.
    expect(signals.filter((signal) => signal.deref() !== undefined).length).toBeLessThanOrEqual(1);
  });

  it("ACT-17 sends instructions, system text, params and the history with the question, and returns only what is new", async () => {
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello." },
    ];
    const { answered, requests } = play({ messages, agent: { params: { max_tokens: 7 } } });
    const { provider, result } = await answered;
    const question = dialectFor("anthropic").userMessage("What does clause 4 say?", []);
    expect(requests).toEqual([
      {
        model: "claude-haiku-4-5",
        instructions: "Be brief.",
        system: "Clause 4 is long.",
        tools: [],
        params: { max_tokens: 7 },
        messages: [...messages, question],
      },
    ]);
    const added = [question, ...replyOf().messages];
    expect(provider).toBe("anthropic");
    expect(result).toEqual({
      messages: added,
      root: extendRoot(extendRoot(EMPTY_ROOT, messages), added),
      model: "claude-haiku-4-5-20261001",
      endpoint: "anthropic-messages",
      usage: ONE_CALL,
      raw_usage: { input_tokens: 10, output_tokens: 5 },
      finish_reason: { unified: "stop", raw: "end_turn" },
      attempt: 2,
      provider_calls: 1,
    });
  });

  it("ACT-60 says which of the messages that are sent another model made, and says nothing where none did", async () => {
    const pair = (text: string) => [
      { role: "user", content: text },
      { role: "assistant", content: "Yes." },
    ];
    const messages = [...pair("1"), ...pair("2"), ...pair("3")];
    const by = { provider: "anthropic", endpoint: "anthropic-messages" } as const;
    const served = [
      { to: 2, ...by, model: "claude-opus-5-5" },
      { to: 4, ...by, model: "claude-haiku-4-5-20261001" },
      { to: 6, ...by, model: "claude-opus-5-5" },
    ];
    const whole = play({ messages, served });
    await whole.answered;
    expect(whole.requests).toMatchObject([{ messages: { length: 7 }, foreign: new Set([0, 1, 4, 5]) }]);
    const cut = play({ messages, served, agent: { send_window: { turns: 3 } } });
    await cut.answered;
    expect(cut.requests).toMatchObject([{ messages: { length: 5 }, foreign: new Set([2, 3]) }]);
    const own = play({ messages, served: [] });
    await own.answered;
    expect(own.requests[0]).not.toHaveProperty("foreign");
  });

  it("ACT-18 tells readers who answers, then what is said and thought", async () => {
    const { answered, frames } = play({
      call: async (_request, { onText, onReasoning }) => {
        onReasoning("Hm.");
        onText("Clause 4 ");
        onText("says so.");
        return replyOf();
      },
      dependencies: { providerSettings: providerSettings({ HOLDFAST_SIMULATOR_URL: "http://127.0.0.1:1" }) },
    });
    expect((await answered).result.simulated).toBe(true);
    expect(frames).toMatchObject([
      {
        type: "attempt",
        provider: "anthropic",
        model: "claude-haiku-4-5",
        simulated: true,
        seq: 0,
        attempt: 2,
      },
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Clause 4 " },
      { type: "text", text: "says so." },
    ]);
  });

  it("ACT-19 puts the bytes of attached files into the request and their markers into the result", async () => {
    const mediaStore = new MemoryMediaStore();
    await mediaStore.put(key, pdf);
    const { answered, requests } = play({
      dependencies: { mediaStore },
      input: { user: { text: "Read it.", files: [file] } },
    });
    const { result } = await answered;
    expect(JSON.stringify(requests)).toContain(Buffer.from(pdf).toString("base64"));
    expect(JSON.stringify(result)).not.toContain(Buffer.from(pdf).toString("base64"));
    expect(JSON.stringify(result.messages[0])).toContain(file.marker);
  });

  it("ACT-20 refuses a file that the model does not take before any call", async () => {
    const scene = play({
      agent: { model: "accounts/fireworks/models/kimi-k3" },
      input: { user: { text: "Read it.", files: [file] } },
    });
    await expect(scene.answered).rejects.toMatchObject({
      type: "turn.refused",
      nonRetryable: true,
      details: ["attachment"],
      message: expect.stringMatching(/kimi-k3 does not take c\.pdf \(application\/pdf\).*Leave the file out/),
    });
    expect([scene.calls(), scene.requests.length]).toEqual([0, 0]);
  });

  it("ACT-21 refuses a turn of an agent with a tool that the worker does not have before any call", async () => {
    const scene = play({ agent: { tools: [{ name: "look_up" }] } });
    await expect(scene.answered).rejects.toMatchObject({
      type: "turn.refused",
      nonRetryable: true,
      details: ["unknown_tool"],
      message: expect.stringContaining("no tool named look_up"),
    });
    expect([scene.calls(), scene.requests.length]).toEqual([0, 0]);
  });

  it("ACT-22 fails with MissingKeyError, and no call, where the worker has no key", async () => {
    const settings = providerSettings({});
    const scene = play({
      dependencies: { providers: createProviders(settings), providerSettings: settings },
    });
    await expect(scene.answered).rejects.toMatchObject({
      name: "MissingKeyError",
      message: expect.stringContaining("ANTHROPIC_API_KEY"),
    });
    expect(scene.calls()).toBe(0);
  });

  it("ACT-23 follows the agent deployed under the same name, but for the model, and reports its prefix", async () => {
    const scene = play({ agent: { name: "reviewer" }, dependencies: { agents } });
    const { result } = await scene.answered;
    expect(scene.requests[0]).toMatchObject({
      model: "claude-haiku-4-5",
      instructions: "Be thorough.",
      params: { max_tokens: 9 },
    });
    expect(result.prefix).toEqual(prefixOf(deployed.spec));
  });

  it("OUT-20 asks for the deployed agent's schema, or for the turn's own", async () => {
    const spec = { ...deployed.spec, output_schema: { type: "object" } };
    const deployedOne = new Map([["reviewer", Agent.fromSpec(spec)]]);
    const scene = { agent: { name: "reviewer" }, dependencies: { agents: deployedOne } };
    const asked = async (own?: JsonObject) => {
      const { requests, answered } = play({ ...scene, ...(own && { input: { output_schema: own } }) });
      const { result } = await answered;
      return [requests[0]?.output, result.structured, typeof result.repair];
    };
    expect(await asked()).toEqual([{ type: "object" }, undefined, "string"]);
    expect(await asked({ type: "string" })).toEqual([{ type: "string" }, undefined, "string"]);
    const { answered } = play({ ...scene, input: { output_schema: { type: "strin" } } });
    await expect(answered).rejects.toMatchObject({ type: "turn.refused", details: ["output_schema"] });
  });

  it("ACT-24 reports no prefix that the conversation knows of, and reports the one it goes back to", async () => {
    const known = prefixOf(deployed.spec).fingerprint;
    const named = { agent: { name: "reviewer" }, dependencies: { agents } };
    expect((await play({ ...named, input: { prefix: known } }).answered).result).not.toHaveProperty("prefix");
    const withdrawn = play({ agent: { name: "reviewer" }, input: { prefix: known } });
    expect((await withdrawn.answered).result.prefix).toEqual(
      prefixOf({ instructions: "Be brief.", tools: [] }),
    );
    expect((await play({ dependencies: { agents } }).answered).result).not.toHaveProperty("prefix");
  });

  it("ACT-25 gives up a call that takes longer than its bound, as a timeout that may be tried again", async () => {
    const scene = play({
      call: (_request, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      dependencies: { bounds: { ...DEFAULT_BOUNDS, callMs: 5 } },
    });
    await expect(scene.answered).rejects.toMatchObject({
      kind: "timeout",
      retryable: true,
      message: expect.stringMatching(/anthropic.*within 0\.005 seconds/),
    });
  });

  it("ACT-26 hands a stop's reason on, also when the bound has passed", async () => {
    const stop = new AbortController();
    const scene = play({
      signal: stop.signal,
      call: (_request, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    setImmediate(() => stop.abort("stopped by a user"));
    await expect(scene.answered).rejects.toBe("stopped by a user");
  });

  it("ACT-27 hands a failure of the provider on as it is", async () => {
    const failure = new ProviderFailure("overloaded", "Busy.", { retryAfterMs: 3_000 });
    await expect(play({ call: () => Promise.reject(failure) }).answered).rejects.toBe(failure);
  });

  it.each([
    ["a key that reaches the prototype", { role: "assistant", content: JSON.parse('[{"__proto__": {}}]') }],
    ["no message of its dialect", { role: "robot", content: 7 }],
    [
      "a number that JSON does not have",
      { role: "assistant", content: [{ type: "text", text: Number.NaN }] },
    ],
  ])("ACT-28 takes a reply with %s for malformed: no envelope could hold it", async (_what, message) => {
    await expect(play({ call: async () => replyOf({ messages: [message] }) }).answered).rejects.toMatchObject(
      {
        kind: "malformed_reply",
        message: expect.stringContaining("cannot be kept"),
      },
    );
  });

  it("ACT-382 takes a reply that is nested too deep for final: the same call would be paid for again", async () => {
    const input = JSON.parse(`{"x":${"[".repeat(20_000)}${"]".repeat(20_000)}}`);
    const content = [{ type: "tool_use", id: "toolu_1", name: "look", input }];
    const { answered } = play({ call: async () => replyOf({ messages: [{ role: "assistant", content }] }) });
    await expect(answered).rejects.toMatchObject({
      kind: "unkeepable_reply",
      retryable: false,
      message: expect.stringMatching(
        /^claude-haiku-4-5 answered .*at most 200 levels.*nested too deep: ask for/,
      ),
    });
  });

  it("ACT-29 keeps the question of an answer without messages, and names the model asked where the reply names none", async () => {
    const { result } = await play({ call: async () => replyOf({ messages: [], model: "" }) }).answered;
    expect(result.messages).toEqual([dialectFor("anthropic").userMessage("What does clause 4 say?", [])]);
    expect(result.root.count).toBe(1);
    expect(result.model).toBe("claude-haiku-4-5");
  });

  it("ACT-30 adds no question where the turn goes on", async () => {
    const world = activityWorld();
    const { user: _, ...input } = callInput(freshConversation());
    const agent = freshConversation().head.agent;
    const transcript = { agent, system: null, served: [], messages: [{ role: "user", content: "Hi" }] };
    const frames = new TurnFrames(world.dependencies.frames, { conversation: "c", turn: "t", attempt: 1 });
    const signal = new AbortController().signal;
    await callProvider(world.dependencies, {
      input,
      transcript,
      frames,
      attempt: 1,
      signal,
      onCall: () => 1,
    });
    expect(world.requests[0]?.messages).toEqual(transcript.messages);
  });

  it("ACT-31 sends only what the agent's window allows and says how many turns were left out", async () => {
    const messages = [1, 2, 3].flatMap((turn) => [
      { role: "user", content: `Question ${turn}` },
      { role: "assistant", content: `Answer ${turn}` },
    ]);
    const scene = play({ messages, agent: { send_window: { turns: 2 } } });
    expect((await scene.answered).result.turns_left_out).toBe(2);
    expect(scene.requests[0]?.messages).toHaveLength(3);
  });
});

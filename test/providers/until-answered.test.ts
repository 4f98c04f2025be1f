import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { dialectFor } from "../../src/core/dialects/index.js";
import type { ProviderName } from "../../src/core/providers.js";
import { createAnthropicProvider } from "../../src/providers/anthropic.js";
import { createFireworksProvider } from "../../src/providers/fireworks.js";
import { FireworksReply } from "../../src/providers/fireworks-reply.js";
import { createGoogleProvider } from "../../src/providers/google.js";
import { type GoogleChunk, GoogleReply } from "../../src/providers/google-reply.js";
import { createOpenAIProvider } from "../../src/providers/openai.js";
import type { ModelProvider, ProviderEndpoint } from "../../src/providers/provider.js";
import { untilAnswered } from "../../src/providers/until-answered.js";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.js";
import { MODELS } from "../simulator/ask.js";
import { hooksOf } from "./adapter-suite.js";
import { type CollectedCall, collectCall, failureOf, modelRequest } from "./collect-call.js";

const CREATE: Readonly<Record<ProviderName, (endpoint: ProviderEndpoint) => ModelProvider>> = {
  anthropic: createAnthropicProvider,
  openai: createOpenAIProvider,
  google: createGoogleProvider,
  fireworks: createFireworksProvider,
  compatible: (endpoint) => createFireworksProvider(endpoint, "compatible"),
};
const WIRES = Object.keys(CREATE) as readonly ProviderName[];

const TEXT = "Clause 4 is about payment.";
const USAGE = { input_tokens: 21, output_tokens: 13 };

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

function ask(wire: ProviderName): Promise<CollectedCall> {
  const adapter = CREATE[wire]({ apiKey: "test", baseUrl: simulator.baseUrls[wire], simulated: true });
  const messages = [dialectFor(wire).userMessage("Clause 4?", [])];
  return collectCall(adapter, modelRequest({ model: MODELS[wire], messages }));
}

describe("a service that leaves its stream open behind the finish reason", () => {
  const calls = new Map<ProviderName, Promise<CollectedCall>>();
  beforeAll(() => {
    const reply = { text: TEXT, usage: USAGE, toolCalls: [{ name: "look", arguments: { clause: 4 } }] };
    for (const wire of WIRES) {
      simulator.script({ match: { wire }, reply, fault: { kind: "hang", afterFinish: true } });
      // All wait at the same time.
      const call = ask(wire);
      call.catch(() => undefined);
      calls.set(wire, call);
    }
  });

  it.each(WIRES)("PRV-400 has answered: %s", async (wire) => {
    const { reply, text } = (await calls.get(wire)) ?? {};
    expect(text).toBe(TEXT);
    expect(dialectFor(wire).openToolCalls(reply?.messages ?? [])).toMatchObject([
      { name: "look", arguments: { clause: 4 } },
    ]);
    expect(reply?.finish_reason.unified).toBe("tool_calls");
    // The chunk with the usage would have come behind the finish reason.
    const isToldLast = wire === "fireworks" || wire === "compatible";
    expect(reply?.usage).toMatchObject(isToldLast ? { input_tokens: 0, output_tokens: 0 } : USAGE);
    await simulator.waitForCall((call) => call.wire === wire && call.clientClosed);
  });
});

describe("a stream that ends or breaks behind the finish reason", () => {
  it.each(WIRES)("PRV-401 is what it was: %s", async (wire) => {
    simulator.reset();
    simulator.script(
      { reply: { text: TEXT }, fault: { kind: "cut", afterFinish: true } },
      { reply: { text: TEXT }, fault: { kind: "truncated", afterFinish: true } },
    );
    expect(await failureOf(ask(wire))).toMatchObject({ kind: "stream_cut", retryable: true });
    // Only the Messages API has a mark of its own for the end.
    if (wire === "anthropic") expect(await failureOf(ask(wire))).toMatchObject({ kind: "stream_cut" });
    else expect(await ask(wire)).toMatchObject({ text: TEXT });
  });
});

describe("a finish reason", () => {
  const finishing = (delta: object, finish_reason: string | null) => ({
    choices: [{ delta, finish_reason }],
  });
  const context = { provider: "compatible", model: "llama-3", signal: new AbortController().signal } as const;

  it("PRV-400 says nothing where more of the answer follows, or where it is empty: Chat Completions", () => {
    const reply = new FireworksReply([], hooksOf());
    const seen: boolean[] = [];
    for (const chunk of [
      finishing({ content: "Clause " }, ""),
      finishing({ content: "4" }, "stop"),
      finishing({ content: "" }, null),
      finishing({ content: "." }, "stop"),
      { choices: [], usage: {} },
    ]) {
      reply.add(chunk, context);
      seen.push(reply.isWhole);
    }
    expect(seen).toEqual([false, true, true, false, false]);
  });

  it("PRV-400 says nothing where more of the answer follows, or where it names none: Google", () => {
    const reply = new GoogleReply(hooksOf());
    const chunk = (text: string, finishReason: string): GoogleChunk => ({
      candidates: [{ content: { parts: [{ text }] }, finishReason }],
    });
    const seen: boolean[] = [];
    for (const given of [
      chunk("Clause ", "FINISH_REASON_UNSPECIFIED"),
      chunk("4", "STOP"),
      chunk("", "STOP"),
      chunk(".", "STOP"),
    ]) {
      reply.add(given);
      seen.push(reply.isWhole);
    }
    expect(seen).toEqual([false, true, true, false]);
  });
});

describe("what comes behind the finish reason", () => {
  afterEach(() => void vi.useRealTimers());

  /** One item at each of these seconds; then nothing more. */
  async function* at(...seconds: readonly number[]): AsyncGenerator<number> {
    const start = performance.now();
    for (const second of seconds) {
      await new Promise((resolve) => setTimeout(resolve, start + second * 1000 - performance.now()));
      yield second;
    }
    await new Promise(() => undefined);
  }

  it.each([
    ["is waited for for five seconds, however much comes", [60, 61, 64, 66], 60, [60, 61, 64], 65],
    ["does not count as long as the answer goes on", [60, 100, 200], 200, [60, 100, 200], 205],
  ])("PRV-400 %s", async (_what, seconds, finish, expected, closedAt) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const taken: number[] = [];
    let closed = 0;
    const end = {
      hasCome: () => taken.includes(finish),
      close: () => {
        closed = performance.now();
      },
    };
    const start = performance.now();
    const reading = (async () => {
      for await (const item of untilAnswered(at(...seconds), end)) taken.push(item);
    })();
    await vi.advanceTimersByTimeAsync(300_000);
    await reading;
    expect(taken).toEqual(expected);
    expect(Math.round((closed - start) / 1000)).toBe(closedAt);
  });

  it("PRV-400 is closed with the stream where its reader goes", async () => {
    let isClosed = false;
    async function* stream(): AsyncGenerator<number> {
      try {
        yield* [1, 2];
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of untilAnswered(stream(), { hasCome: () => true, close: () => undefined })) break;
    expect(isClosed).toBe(true);
  });
});

/** What the adapters have in common, against the simulator and through the real SDK. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Dialect } from "../../src/core/dialects/dialect.js";
import type { NativeMessage } from "../../src/core/envelope/envelope.js";
import { ProviderFailure } from "../../src/core/errors/provider-failure.js";
import type { ProviderName } from "../../src/core/providers.js";
import type { ModelProvider, ModelRequest, ProviderEndpoint } from "../../src/providers/provider.js";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";
import { failureOf, modelRequest } from "./collect-call.js";
import { FAILURE_CASES } from "./failure-cases.js";

export interface AdapterUnderTest {
  readonly provider: ProviderName;
  readonly dialect: Dialect;
  readonly model: string;
  create(endpoint: ProviderEndpoint): ModelProvider;
}

export interface RunningAdapter {
  readonly simulator: Simulator;
  readonly adapter: ModelProvider;
  /** A request whose history cannot be changed. */
  ask(messages: readonly NativeMessage[], overrides?: Partial<ModelRequest>): ModelRequest;
  question(text: string): ModelRequest;
}

const KEY = "a-secret-of-the-test";

/** Declares the common tests, and gives the simulator and the adapter to further ones. */
export function itIsAnAdapter({ provider, dialect, model, create }: AdapterUnderTest): () => RunningAdapter {
  let simulator: Simulator;
  let adapter: ModelProvider;
  beforeAll(async () => {
    simulator = await startSimulator();
    adapter = create({ apiKey: KEY, baseUrl: simulator.baseUrls[provider], simulated: true });
  });
  beforeEach(() => simulator.reset());
  afterAll(() => simulator.close());

  const ask: RunningAdapter["ask"] = (messages, overrides = {}) =>
    deepFreeze(modelRequest({ model, messages, ...overrides }));
  const question = (text: string): ModelRequest => ask([dialect.userMessage(text, [])]);

  it("PRV-70 streams the answer and gives it back native, with usage and finish reason", async () => {
    simulator.script({
      reply: {
        text: "Clause 4 is about payment, and about nothing else at all.",
        usage: { input_tokens: 21, output_tokens: 13, cache_read_tokens: 8, reasoning_tokens: 0 },
      },
    });
    const pieces: string[] = [];
    const reply = await adapter.call(question("Clause 4?"), {
      signal: new AbortController().signal,
      onText: (text) => pieces.push(text),
      onReasoning: () => {},
    });
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join("")).toBe("Clause 4 is about payment, and about nothing else at all.");
    expect(dialect.outputText(reply.messages)).toBe(pieces.join(""));
    expect(reply.messages.filter((message) => dialect.outputText([message]) !== "")).toHaveLength(1);
    expect(reply.usage).toMatchObject({ input_tokens: 21, output_tokens: 13, cache_read_tokens: 8 });
    expect(dialect.usage(reply.raw_usage)).toEqual(reply.usage);
    expect(reply.finish_reason.unified).toBe("stop");
    expect(reply.model).toBe(model);
  });

  it("PRV-71 gives back replies that the wire takes again, tool rounds included", async () => {
    const tools = [
      { name: "lookup", input_schema: { type: "object", properties: { q: { type: "string" } } } },
    ];
    simulator.script(
      {
        reply: {
          text: "I look.",
          toolCalls: [
            { name: "lookup", arguments: { q: "a" } },
            { name: "lookup", arguments: { q: "b" } },
          ],
        },
      },
      { reply: { text: "It is in clause 4." } },
    );
    const start = [dialect.userMessage("Where is it?", [])];
    const first = await adapter.call(ask(start, { tools }), hooksOf());
    expect(first.finish_reason.unified).toBe("tool_calls");
    const calls = dialect.openToolCalls([...start, ...first.messages]);
    expect(calls.map(({ arguments: args }) => args)).toEqual([{ q: "a" }, { q: "b" }]);
    const results = dialect.toolResultMessages(
      calls.map((call, index) => ({ call, output: "found", is_error: index === 1 })),
    );
    const round = [...start, ...first.messages, ...results];
    const second = await adapter.call(ask(round, { tools }), hooksOf());
    const next = [...round, ...second.messages, dialect.userMessage("Thanks!", [])];
    expect(dialect.outputText((await adapter.call(ask(next, { tools }), hooksOf())).messages)).not.toBe("");
    expect(simulator.calls.map(({ status, issues }) => [status, issues])).toEqual([
      [200, []],
      [200, []],
      [200, []],
    ]);
  });

  it("PRV-72 sends an attached picture", async () => {
    const picture = { mime_type: "image/png", name: "a.png", data: ONE_PIXEL };
    await adapter.call(ask([dialect.userMessage("What is it?", [picture])]), hooksOf());
    expect(simulator.calls[0]).toMatchObject({ status: 200, issues: [] });
    expect(JSON.stringify(simulator.calls[0]?.body)).toContain(ONE_PIXEL);
  });

  it.each(FAILURE_CASES)("PRV-73 classifies %s after a single call", async (_name, fault, expected) => {
    simulator.script({
      fault,
      reply: { text: "Clause 4 is about payment, and about nothing else." },
      times: null,
    });
    const failure = await failureOf(adapter.call(question("Clause 4?"), hooksOf()));
    expect(failure).toBeInstanceOf(ProviderFailure);
    expect(failure).toMatchObject(expected);
    expect(simulator.counters().calls).toBe(1);
  });

  it("PRV-73 classifies a server that is not there as a network failure", async () => {
    const gone = await startSimulator();
    await gone.close();
    const lost = create({ apiKey: KEY, baseUrl: gone.baseUrls[provider], simulated: true });
    const failure = await failureOf(lost.call(question("Clause 4?"), hooksOf()));
    expect(failure).toMatchObject({ kind: "network", retryable: true });
  });

  it("PRV-74 classifies an unknown model, a wrong key and a conversation that is too long as final", async () => {
    const unknown = { ...question("Clause 4?"), model: `${model}-unknown-model` };
    expect(await failureOf(adapter.call(unknown, hooksOf()))).toMatchObject({
      kind: "not_found",
      status: 404,
    });
    const keyless = create({ apiKey: "invalid", baseUrl: simulator.baseUrls[provider], simulated: true });
    if (provider !== "compatible") {
      const refused = await failureOf(keyless.call(question("Clause 4?"), hooksOf()));
      expect(refused).toMatchObject({ kind: "authentication", retryable: false });
    }
    const foreign = create({ apiKey: "ключ", baseUrl: simulator.baseUrls[provider], simulated: true });
    expect(await failureOf(foreign.call(question("Clause 4?"), hooksOf()))).toMatchObject({
      kind: "authentication",
      retryable: false,
    });
    await using small = await startSimulator({ contextTokens: 20 });
    const limited = create({ apiKey: KEY, baseUrl: small.baseUrls[provider], simulated: true });
    const long = await failureOf(limited.call(question("word ".repeat(500)), hooksOf()));
    expect(long).toMatchObject({ kind: "context_too_long", retryable: false });
  });

  it("PRV-75 bounds an error of three megabytes and never names the key", async () => {
    simulator.script(
      { fault: { kind: "huge_error" } },
      { fault: { kind: "status", status: 400, message: `The key ${KEY} is nice` } },
    );
    const huge = await failureOf(adapter.call(question("Clause 4?"), hooksOf()));
    expect(huge).toMatchObject({ kind: "server_error", status: 500 });
    expect(Buffer.byteLength((huge as Error).message)).toBeLessThanOrEqual(2048);
    const telling = await failureOf(adapter.call(question("Clause 4?"), hooksOf()));
    expect((telling as Error).message).toContain("is nice");
    expect((telling as Error).message).not.toContain(KEY);
  });

  it("PRV-76 closes the socket in the middle of an answer when the call is aborted", async () => {
    const text = "word ".repeat(400);
    simulator.script({ reply: { text }, pace: { chunkDelayMs: 20 } });
    const abort = new AbortController();
    const failing = failureOf(adapter.call(question("Clause 4?"), hooksOf(abort.signal)));
    const call = await simulator.waitForCall(({ chunksSent }) => chunksSent > 2);
    const reason = new Error("stopped by the user");
    abort.abort(reason);
    expect(await failing).toBe(reason);
    await simulator.waitForCall(({ id, clientClosed }) => id === call.id && clientClosed, {
      timeoutMs: 1000,
    });
    expect(call.finished).toBe(false);
    expect(call.chunksSent).toBeLessThan(50);
    expect(call.bytesSentAfterClose).toBeLessThan(2048);
  });

  it("PRV-76 closes the socket of a server that hangs, before its headers and after", async () => {
    simulator.script({ fault: { kind: "hang" } }, { fault: { kind: "hang", afterChunks: 1 } });
    for (const id of [1, 2]) {
      const abort = new AbortController();
      const failing = failureOf(adapter.call(question("Clause 4?"), hooksOf(abort.signal)));
      await simulator.waitForCall((call) => call.id === id && (id === 1 || call.chunksSent === 1));
      abort.abort("enough");
      expect(await failing).toBe("enough");
      await simulator.waitForCall((call) => call.id === id && call.clientClosed, { timeoutMs: 1000 });
    }
  });

  it("PRV-76 makes no call under a signal that has been aborted already", async () => {
    const aborted = AbortSignal.abort("too late");
    expect(await failureOf(adapter.call(question("Clause 4?"), hooksOf(aborted)))).toBe("too late");
    expect(simulator.calls).toHaveLength(0);
  });

  return () => ({ simulator, adapter, ask, question });
}

const ONE_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

export function hooksOf(
  signal: AbortSignal = new AbortController().signal,
): Parameters<ModelProvider["call"]>[1] {
  return { signal, onText: () => {}, onReasoning: () => {} };
}

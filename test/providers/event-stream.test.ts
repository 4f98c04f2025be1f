import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { dialectFor } from "../../src/core/dialects/index.js";
import type { ProviderName } from "../../src/core/providers.js";
import { createAnthropicProvider } from "../../src/providers/anthropic.js";
import { createFireworksProvider } from "../../src/providers/fireworks.js";
import { createGoogleProvider } from "../../src/providers/google.js";
import { createOpenAIProvider } from "../../src/providers/openai.js";
import type { ModelProvider, ProviderEndpoint } from "../../src/providers/provider.js";
import { hooksOf } from "./adapter-suite.js";
import { failureOf } from "./collect-call.js";

const SSE = "text/event-stream; charset=utf-8";
const CHUNK = { model: "foo", choices: [{ index: 0, delta: { content: "Hi." }, finish_reason: "stop" }] };
const ANTHROPIC_EVENTS = [
  {
    type: "message_start",
    message: { role: "assistant", model: "foo", content: [], stop_reason: null, usage: {} },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "Hi.", citations: null } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];
const GOOGLE_CHUNK = { candidates: [{ content: { parts: [{ text: "Hi." }] }, finishReason: "STOP" }] };
const COMPLETION = JSON.stringify({ choices: [{ message: { role: "assistant", content: "Hi." } }] }, null, 1);

type Adapter = readonly [
  provider: ProviderName,
  create: (endpoint: ProviderEndpoint) => ModelProvider,
  path: string,
  variable: string,
];

const OPENAI: Adapter = ["openai", createOpenAIProvider, "/v1/responses", "OPENAI_BASE_URL"];
const COMPATIBLE: Adapter = [
  "compatible",
  (endpoint) => createFireworksProvider(endpoint, "compatible"),
  "/v1/chat/completions",
  "HOLDFAST_COMPATIBLE_BASE_URL",
];
const ANTHROPIC: Adapter = ["anthropic", createAnthropicProvider, "/v1/v1/messages", "ANTHROPIC_BASE_URL"];
const GOOGLE: Adapter = [
  "google",
  createGoogleProvider,
  "/v1/v1/models/foo:streamGenerateContent",
  "GEMINI_BASE_URL",
];

let server: Server | undefined;
afterEach(stop);

function stop(): void {
  server?.closeAllConnections();
  server?.close();
}

/** Answers every call so; tells at which origin. */
async function answering(answer: (response: ServerResponse) => void): Promise<string> {
  stop();
  const listening = createServer((request, response) => {
    request.resume().on("end", () => answer(response));
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

function callOf([provider, create]: Adapter, origin: string): Promise<unknown> {
  const adapter = create({ apiKey: "sk-a-secret-key", baseUrl: `${origin}/v1`, simulated: false });
  const messages = [dialectFor(provider).userMessage("Hello", [])];
  const request = { model: "foo", instructions: "", system: null, tools: [], params: {}, messages };
  return adapter.call(request, hooksOf());
}

const typed =
  (type: string | undefined, body: string, status = 200) =>
  (response: ServerResponse): void => {
    response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);
  };

type Answer = (response: ServerResponse) => void;

const NO_STREAMS: readonly (readonly [what: string, said: string, answer: Answer])[] = [
  [
    "a web page",
    "200 with text/html",
    typed("text/html; charset=utf-8", "<html>\n\n<body>data: Login</body>"),
  ],
  ["a web page with a line of a stream", "200 with text/html", typed("text/html", "data: Login\n\n")],
  ["a web page with an event", "200 with text/html", typed("text/html", "event: a\ndata: Login\n\n")],
  ["a whole completion", "200 with application/json", typed("application/json", COMPLETION)],
  ["nothing", "200 with no content type", typed(undefined, "")],
  ["no content", "204 with no content type", typed(undefined, "", 204)],
];

async function expectNoEventStream(adapter: Adapter, said: string, answer: Answer): Promise<void> {
  const origin = await answering(answer);
  const [, , path, variable] = adapter;
  const failure = await failureOf(callOf(adapter, origin));
  const line = ` did not answer with an event stream (foo): ${origin}${path} answered ${said}. Check ${variable}.`;
  expect(failure).toMatchObject({ kind: "no_event_stream", retryable: false });
  expect(String(failure)).toContain(line);
  expect(String(failure)).not.toContain("secret");
}

async function expectNone(adapter: Adapter): Promise<void> {
  const empty = await answering(typed(SSE, ""));
  expect(await failureOf(callOf(adapter, empty))).toMatchObject({ kind: "stream_cut", retryable: true });
  const broken = await answering((response) => {
    response.writeHead(200, { "content-type": "text/html", "content-length": "1000" });
    response.write("<html>", () => response.destroy());
  });
  expect(await failureOf(callOf(adapter, broken))).toMatchObject({ retryable: true });
}

describe("an answer that is no event stream", () => {
  describe.each([OPENAI, COMPATIBLE])("of %s", (...adapter) => {
    it.each(NO_STREAMS)(
      "PRV-380 ends the call with the address and the variable: %s",
      (_what, said, answer) => expectNoEventStream(adapter, said, answer),
    );
  });

  describe.each([ANTHROPIC, GOOGLE])("of %s", (...adapter) => {
    it.each(NO_STREAMS)(
      "PRV-402 ends the call with the address and the variable: %s",
      (_what, said, answer) => expectNoEventStream(adapter, said, answer),
    );
  });

  it.each([OPENAI, COMPATIBLE])(
    "PRV-381 is none where the stream says what it is, or the connection breaks: %s",
    async (...adapter) => expectNone(adapter),
  );

  it.each([ANTHROPIC, GOOGLE])(
    "PRV-402 is none where the stream says what it is, or the connection breaks: %s",
    async (...adapter) => expectNone(adapter),
  );
});

describe("a server that streams under another content type", () => {
  it("PRV-381 is read", async () => {
    const origin = await answering(typed("text/plain", `data: ${JSON.stringify(CHUNK)}\n\ndata: [DONE]\n\n`));
    expect(await callOf(COMPATIBLE, origin)).toMatchObject({
      messages: [{ role: "assistant", content: "Hi." }],
    });
  });

  it("PRV-402 is read: Anthropic, Google", async () => {
    const events = ANTHROPIC_EVENTS.map(
      (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
    );
    const anthropic = await answering(typed("text/plain", events.join("")));
    const content = [{ type: "text", text: "Hi." }];
    expect(await callOf(ANTHROPIC, anthropic)).toMatchObject({ messages: [{ role: "assistant", content }] });
    const google = await answering(typed("text/plain", `data: ${JSON.stringify(GOOGLE_CHUNK)}\r\n\r\n`));
    expect(await callOf(GOOGLE, google)).toMatchObject({
      messages: [{ role: "model", parts: [{ text: "Hi." }] }],
    });
  });
});

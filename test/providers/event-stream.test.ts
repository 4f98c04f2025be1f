import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { DIALECTS } from "../../src/core/dialects/index.js";
import { createFireworksProvider } from "../../src/providers/fireworks.js";
import { createOpenAIProvider } from "../../src/providers/openai.js";
import type { ModelProvider, ProviderEndpoint } from "../../src/providers/provider.js";
import { hooksOf } from "./adapter-suite.js";
import { failureOf } from "./collect-call.js";

const SSE = "text/event-stream; charset=utf-8";
const CHUNK = { model: "foo", choices: [{ index: 0, delta: { content: "Hi." }, finish_reason: "stop" }] };
const COMPLETION = JSON.stringify({ choices: [{ message: { role: "assistant", content: "Hi." } }] }, null, 1);

const ADAPTERS: Readonly<
  Record<string, readonly [create: (endpoint: ProviderEndpoint) => ModelProvider, path: string, url: string]>
> = {
  openai: [createOpenAIProvider, "/v1/responses", "OPENAI_BASE_URL"],
  compatible: [
    (endpoint) => createFireworksProvider(endpoint, "compatible"),
    "/v1/chat/completions",
    "HOLDFAST_COMPATIBLE_BASE_URL",
  ],
};

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Answers every call so; tells at which origin. */
async function answering(answer: (response: ServerResponse) => void): Promise<string> {
  const listening = createServer((request, response) => {
    request.resume().on("end", () => answer(response));
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

function callOf(name: string, origin: string): Promise<unknown> {
  const [create] = ADAPTERS[name] ?? [];
  const adapter = create?.({ apiKey: "sk-a-secret-key", baseUrl: `${origin}/v1`, simulated: false });
  const dialect = name === "openai" ? DIALECTS.openai : DIALECTS.fireworks;
  const messages = [dialect.userMessage("Hello", [])];
  const request = { model: "foo", instructions: "", system: null, tools: [], params: {}, messages };
  return adapter?.call(request, hooksOf()) ?? Promise.reject(new Error("There is no such adapter."));
}

const typed =
  (type: string | undefined, body: string, status = 200) =>
  (response: ServerResponse): void => {
    response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);
  };

describe.each(Object.entries(ADAPTERS))("%s: an answer that is no event stream", (name, [, path, url]) => {
  it.each([
    [
      "a web page",
      "200 with text/html",
      typed("text/html; charset=utf-8", "<html>\n\n<body>data: Login</body>"),
    ],
    ["a web page with a line of a stream", "200 with text/html", typed("text/html", "data: Login\n\n")],
    ["a whole completion", "200 with application/json", typed("application/json", COMPLETION)],
    ["nothing", "200 with no content type", typed(undefined, "")],
    ["no content", "204 with no content type", typed(undefined, "", 204)],
  ])("PRV-380 ends the call with the address and the variable: %s", async (_what, said, answer) => {
    const origin = await answering(answer);
    const failure = await failureOf(callOf(name, origin));
    const line = ` did not answer with an event stream (foo): ${origin}${path} answered ${said}. Check ${url}.`;
    expect(failure).toMatchObject({
      kind: "no_event_stream",
      retryable: false,
      message: expect.stringContaining(line),
    });
    expect(String(failure)).not.toContain("secret");
  });

  it("PRV-381 is none where the stream says what it is, or the connection breaks", async () => {
    const empty = await answering(typed(SSE, ""));
    expect(await failureOf(callOf(name, empty))).toMatchObject({ kind: "stream_cut", retryable: true });
    server?.close();
    const broken = await answering((response) => {
      response.writeHead(200, { "content-type": "text/html", "content-length": "1000" });
      response.write("<html>", () => response.destroy());
    });
    expect(await failureOf(callOf(name, broken))).toMatchObject({ retryable: true });
  });
});

describe("a server that streams under another content type", () => {
  it("PRV-381 is read", async () => {
    const origin = await answering(typed("text/plain", `data: ${JSON.stringify(CHUNK)}\n\ndata: [DONE]\n\n`));
    expect(await callOf("compatible", origin)).toMatchObject({
      messages: [{ role: "assistant", content: "Hi." }],
    });
  });
});

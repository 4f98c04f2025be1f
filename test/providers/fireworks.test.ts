import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { fireworks } from "../../src/core/dialects/fireworks/index.js";
import { createFireworksProvider } from "../../src/providers/fireworks.js";
import { hooksOf, itIsAnAdapter } from "./adapter-suite.js";
import { collectCall, failureOf } from "./collect-call.js";

describe("createFireworksProvider", () => {
  const running = itIsAnAdapter({
    provider: "fireworks",
    dialect: fireworks,
    model: "accounts/fireworks/models/kimi-k3",
    create: (endpoint) => createFireworksProvider(endpoint),
  });

  it("PRV-81 sends one system message in front, and parameters in the wire's own names", async () => {
    const { simulator, adapter, ask } = running();
    const history = [{ role: "developer", content: [{ type: "text", text: "From the history itself." }] }];
    const request = ask([...history, fireworks.userMessage("Clause 4?", [])], {
      instructions: "Be brief.",
      system: "From the envelope.",
      params: { temperature: 0.2, max_tokens: 64, stream: false, model: "another" },
      tools: [{ name: "lookup" }],
    });
    await adapter.call(request, hooksOf());
    expect(simulator.calls[0]?.body).toEqual({
      model: request.model,
      messages: [
        { role: "system", content: "Be brief.\n\nFrom the envelope.\n\nFrom the history itself." },
        { role: "user", content: "Clause 4?" },
      ],
      temperature: 0.2,
      max_tokens: 64,
      tools: [{ type: "function", function: { name: "lookup" } }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it("PRV-93 sends reasoning of other models as well: nothing binds it", async () => {
    const { simulator, adapter, ask } = running();
    const answer = { role: "assistant", content: "Clause 4.", reasoning_content: "Let me see." };
    const history = [fireworks.userMessage("Clause 4?", []), answer, fireworks.userMessage("And 5?", [])];
    await adapter.call(ask(history, { foreign: new Set([0, 1]) }), hooksOf());
    expect(simulator.calls).toMatchObject([{ status: 200, issues: [], body: { messages: history } }]);
  });

  it("PRV-82 tells reasoning apart from the answer, and sends it back with the history", async () => {
    const { simulator, adapter, ask } = running();
    simulator.script({ reply: { text: "Clause 4.", reasoning: "Let me see what the contract says." } });
    const start = [fireworks.userMessage("Clause 4?", [])];
    const { reply, text, reasoning } = await collectCall(adapter, ask(start));
    expect([text, reasoning]).toEqual(["Clause 4.", "Let me see what the contract says."]);
    expect(reply.messages).toEqual([
      { role: "assistant", content: "Clause 4.", reasoning_content: "Let me see what the contract says." },
    ]);
    await adapter.call(ask([...start, ...reply.messages, fireworks.userMessage("And 5?", [])]), hooksOf());
    expect(simulator.calls[1]).toMatchObject({ status: 200, issues: [] });
    expect(simulator.calls[1]?.body).toMatchObject({
      messages: [{ role: "user" }, reply.messages[0], { role: "user" }],
    });
  });

  it("PRV-62 has its next question taken after an empty answer", async () => {
    const { simulator, adapter, ask } = running();
    simulator.script({ reply: { text: "" } });
    const start = [fireworks.userMessage("Clause 4?", [])];
    const { messages } = await adapter.call(ask(start), hooksOf());
    expect(messages).toEqual([{ role: "assistant", content: "" }]);
    await adapter.call(ask([...start, ...messages, fireworks.userMessage("Hello?", [])]), hooksOf());
    expect(simulator.calls[1]).toMatchObject({ status: 200, issues: [] });
  });

  it("PRV-85 fails as attachment_refused where Fireworks does not take a file", async () => {
    const { adapter, ask } = running();
    const pdf = { mime_type: "application/pdf", name: "a.pdf", data: btoa("%PDF-1.4\n%%EOF\n") };
    const failure = await failureOf(adapter.call(ask([fireworks.userMessage("What?", [pdf])]), hooksOf()));
    expect(failure).toMatchObject({ kind: "attachment_refused", retryable: false });
  });

  it("PRV-80 fails as refused when the filter let nothing through", async () => {
    const { simulator, adapter, question } = running();
    simulator.script({ reply: { text: "", finishReason: "content_filter" } });
    const failure = await failureOf(adapter.call(question("Clause 4?"), hooksOf()));
    expect(failure).toMatchObject({ kind: "content_refused", retryable: false });
  });
});

describe("createFireworksProvider for a compatible server", () => {
  const running = itIsAnAdapter({
    provider: "compatible",
    dialect: fireworks,
    model: "llama-3",
    create: (endpoint) => createFireworksProvider(endpoint, "compatible"),
  });

  it("PRV-83 needs no key, sends none then, and names the server's own variables", async () => {
    const { simulator, question } = running();
    const baseUrl = simulator.baseUrls.compatible;
    const keyless = createFireworksProvider({ apiKey: undefined, baseUrl, simulated: true }, "compatible");
    expect((await keyless.call(question("Clause 4?"), hooksOf())).messages).toHaveLength(1);
    const seen: IncomingHttpHeaders[] = [];
    const elsewhere = createServer((request, response) => {
      seen.push(request.headers);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const { port } = elsewhere.address() as AddressInfo;
    const lost = createFireworksProvider(
      { apiKey: undefined, baseUrl: `http://127.0.0.1:${port}/v1`, simulated: true },
      "compatible",
    );
    const failure = await failureOf(lost.call(question("Clause 4?"), hooksOf()));
    elsewhere.closeAllConnections();
    await new Promise((resolve) => elsewhere.close(resolve));
    expect((failure as Error).message).toContain("HOLDFAST_COMPATIBLE_BASE_URL");
    expect(seen.map(({ authorization }) => authorization)).toEqual([undefined]);
  });
});

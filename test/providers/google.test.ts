import { describe, expect, it } from "vitest";
import { google } from "../../src/core/dialects/google/index.js";
import { createGoogleProvider } from "../../src/providers/google.js";
import { wav } from "../support/whole-files.js";
import { hooksOf, itIsAnAdapter } from "./adapter-suite.js";
import { collectCall, failureOf } from "./collect-call.js";

describe("createGoogleProvider", () => {
  const running = itIsAnAdapter({
    provider: "google",
    dialect: google,
    model: "gemini-3.5-flash-lite",
    create: createGoogleProvider,
  });

  it("PRV-77 sends instructions before the system text, and parameters in Google's own names", async () => {
    const { simulator, adapter, ask } = running();
    const request = ask([google.userMessage("Clause 4?", [])], {
      instructions: "Be brief.",
      system: "From the history.",
      params: { temperature: 0.2, maxOutputTokens: 64, tools: [{ codeExecution: {} }] },
      tools: [{ name: "lookup" }],
    });
    await adapter.call(request, hooksOf());
    expect(simulator.calls[0]?.body).toEqual({
      contents: [{ role: "user", parts: [{ text: "Clause 4?" }] }],
      systemInstruction: { role: "user", parts: [{ text: "Be brief.\n\nFrom the history." }] },
      tools: [{ codeExecution: {} }, { functionDeclarations: [{ name: "lookup" }] }],
      generationConfig: { temperature: 0.2, maxOutputTokens: 64 },
    });
  });

  it("PRV-78 asks for thoughts only where the parameters do, and gives them back as thoughts", async () => {
    const { simulator, adapter, ask, question } = running();
    expect((await collectCall(adapter, question("Clause 4?"))).reasoning).toBe("");
    expect(JSON.stringify(simulator.calls[0]?.body)).not.toContain("thinkingConfig");
    const reply = { text: "Clause 4.", reasoning: "Let me see what the contract says." };
    simulator.script({ reply });
    const messages = [google.userMessage("Clause 4?", [])];
    const params = { thinkingConfig: { includeThoughts: true } };
    const asked = await collectCall(adapter, ask(messages, { params }));
    expect(asked.reasoning).toBe(reply.reasoning);
    expect(asked.text).toBe(reply.text);
    expect(google.outputText(asked.reply.messages)).toBe(reply.text);
    expect(asked.reply.messages[0]?.parts).toContainEqual(
      expect.objectContaining({ text: reply.reasoning, thought: true }),
    );
  });

  it("PRV-79 refuses parameters that would change the connection, before any call", async () => {
    const { simulator, adapter, ask } = running();
    const messages = [google.userMessage("Clause 4?", [])];
    const hijacked = ask(messages, { params: { httpOptions: { baseUrl: "http://127.0.0.1:9" } } });
    const failure = await failureOf(adapter.call(hijacked, hooksOf()));
    expect(failure).toMatchObject({ kind: "bad_request", retryable: false });
    expect((failure as Error).message).toContain("httpOptions");
    expect(simulator.calls).toHaveLength(0);
  });

  it("PRV-79 fails as a bad request where the SDK itself refuses a parameter", async () => {
    const { adapter, ask } = running();
    const request = ask([google.userMessage("Clause 4?", [])], { params: { audioTimestamp: true } });
    expect(await failureOf(adapter.call(request, hooksOf()))).toMatchObject({ kind: "bad_request" });
  });

  it("PRV-84 sends PDF, text and sound", async () => {
    const { simulator, adapter, ask } = running();
    const files = [
      { mime_type: "application/pdf", name: "a.pdf", data: btoa("%PDF-1.4\n%%EOF\n") },
      { mime_type: "text/markdown", name: "a.md", data: btoa("# Clause 4") },
      { mime_type: "audio/wav", name: "a.wav", data: wav().toString("base64") },
    ];
    await adapter.call(ask([google.userMessage("What is in them?", files)]), hooksOf());
    expect(simulator.calls[0]).toMatchObject({ status: 200, issues: [] });
  });

  it("PRV-55 has its next question taken after an empty answer", async () => {
    const { simulator, adapter, ask } = running();
    simulator.script({ reply: { text: "" } });
    const start = [google.userMessage("Clause 4?", [])];
    const { messages } = await adapter.call(ask(start), hooksOf());
    expect(messages).toEqual([]);
    await adapter.call(ask([...start, ...messages, google.userMessage("Hello?", [])]), hooksOf());
    expect(simulator.calls[1]).toMatchObject({ status: 200, issues: [] });
  });

  it("PRV-91 is asked once for a history with the signatures of another model, and gets none of them", async () => {
    const { simulator, adapter, ask } = running();
    simulator.script({ reply: { text: "Clause 4.", reasoning: "Let me see." } });
    const start = [google.userMessage("Clause 4?", [])];
    const params = { thinkingConfig: { includeThoughts: true } };
    const { messages } = await adapter.call(ask(start, { params }), hooksOf());
    expect(JSON.stringify(messages)).toContain("thoughtSignature");
    const history = [...start, ...messages, google.userMessage("And 5?", [])];
    await adapter.call(ask(history, { model: "gemini-3-pro", foreign: new Set([0, 1]) }), hooksOf());
    expect(simulator.calls).toHaveLength(2);
    expect(simulator.calls[1]).toMatchObject({ status: 200, issues: [] });
    const answer = { role: "model", parts: [{ text: "Clause 4." }] };
    expect(simulator.calls[1]?.body).toMatchObject({ contents: [{}, answer, {}] });
    expect(JSON.stringify(simulator.calls[1]?.body)).not.toMatch(/thought|Let me see/);
    await adapter.call(ask(history), hooksOf());
    expect(simulator.calls[2]).toMatchObject({ status: 200, body: { contents: [{}, messages[0], {}] } });
  });

  it("PRV-80 fails as refused when the filter let nothing through", async () => {
    const { simulator, adapter, question } = running();
    simulator.script({ reply: { text: "", finishReason: "content_filter" } });
    const failure = await failureOf(adapter.call(question("Clause 4?"), hooksOf()));
    expect(failure).toMatchObject({ kind: "content_refused", retryable: false });
  });
});

import { describe, expect, it } from "vitest";
import { openai } from "../../src/core/dialects/openai/index.js";
import { createOpenAIProvider } from "../../src/providers/openai.js";
import { hooksOf, itIsAnAdapter } from "./adapter-suite.js";
import { collectCall, failureOf } from "./collect-call.js";

const PDF = Buffer.from("%PDF-1.7\n%holdfast\n%%EOF\n").toString("base64");

describe("createOpenAIProvider", () => {
  const running = itIsAnAdapter({
    provider: "openai",
    dialect: openai,
    model: "gpt-6-luna",
    create: createOpenAIProvider,
  });

  it("PRV-27 tells reasoning apart from the answer, and sends it back encrypted, with what followed it", async () => {
    const { simulator, adapter, ask } = running();
    simulator.script({ reply: { text: "Clause 4.", reasoning: "Let me see what the contract says." } });
    const start = [openai.userMessage("Clause 4?", [])];
    const { reply, text, reasoning } = await collectCall(adapter, ask(start));
    expect([text, reasoning]).toEqual(["Clause 4.", "Let me see what the contract says."]);
    expect(reply.messages).toMatchObject([
      { type: "reasoning", id: expect.stringMatching(/^rs_/), encrypted_content: expect.stringMatching(/./) },
      { type: "message", id: expect.stringMatching(/^msg_/), role: "assistant" },
    ]);
    await adapter.call(ask([...start, ...reply.messages, openai.userMessage("And 5?", [])]), hooksOf());
    expect(simulator.calls[1]).toMatchObject({ status: 200, issues: [] });
    expect(simulator.calls[1]?.body).toMatchObject({ input: [{}, ...reply.messages, {}] });
  });

  it("PRV-27 continues a history of a reasoning model under one that does not think", async () => {
    const { simulator, adapter, ask } = running();
    simulator.script({ reply: { text: "Clause 4.", reasoning: "Let me see." } });
    const start = [openai.userMessage("Clause 4?", [])];
    const { messages } = await adapter.call(ask(start), hooksOf());
    const next = ask([...start, ...messages, openai.userMessage("And 5?", [])], { model: "gpt-4.1" });
    await adapter.call(next, hooksOf());
    expect(simulator.calls[1]).toMatchObject({ status: 200, issues: [] });
  });

  it("PRV-28 sends PDF and text files", async () => {
    const { simulator, adapter, ask } = running();
    const files = [
      { mime_type: "application/pdf", name: "a.pdf", data: PDF },
      { mime_type: "text/markdown", name: "b.md", data: Buffer.from("# Notes").toString("base64") },
    ];
    await adapter.call(ask([openai.userMessage("Compare.", files)]), hooksOf());
    expect(simulator.calls[0]).toMatchObject({ status: 200, issues: [] });
  });

  it.each([
    ["length", "max_output_tokens"],
    ["content_filter", "content_filter"],
  ] as const)("PRV-29 keeps what was said before %s ended it", async (unified, raw) => {
    const { simulator, adapter, question } = running();
    simulator.script({ reply: { text: "Clause 4 is", finishReason: unified } });
    const reply = await adapter.call(question("Clause 4?"), hooksOf());
    expect(openai.outputText(reply.messages)).toBe("Clause 4 is");
    expect(reply.finish_reason).toEqual({ unified, raw });
  });

  it("PRV-29 fails as refused where the filter let nothing through", async () => {
    const { simulator, adapter, question } = running();
    simulator.script({ reply: { text: "", finishReason: "content_filter" } });
    const failure = await failureOf(adapter.call(question("Clause 4?"), hooksOf()));
    expect(failure).toMatchObject({ kind: "content_refused", retryable: false });
  });

  it("PRV-31 gives an empty answer back as no item, after which the next question is taken", async () => {
    const { simulator, adapter, ask } = running();
    simulator.script({ reply: { text: "" } });
    const start = [openai.userMessage("Say nothing.", [])];
    const reply = await adapter.call(ask(start), hooksOf());
    expect(reply.messages).toEqual([]);
    expect(reply.finish_reason.unified).toBe("stop");
    await adapter.call(ask([...start, openai.userMessage("And now?", [])]), hooksOf());
    expect(simulator.calls[1]).toMatchObject({ status: 200, issues: [] });
  });

  it("PRV-91 is asked once for a history with the reasoning of another model, and gets none of it", async () => {
    const { simulator, adapter, ask } = running();
    simulator.script({ reply: { text: "Clause 4.", reasoning: "Let me see." } });
    const start = [openai.userMessage("Clause 4?", [])];
    const { messages } = await adapter.call(ask(start), hooksOf());
    const history = [...start, ...messages, openai.userMessage("And 5?", [])];
    await adapter.call(ask(history, { model: "gpt-5.6", foreign: new Set([0, 1, 2]) }), hooksOf());
    expect(simulator.calls).toHaveLength(2);
    expect(simulator.calls[1]).toMatchObject({ status: 200, issues: [] });
    const { id: _, ...answer } = messages[1] ?? {};
    expect(simulator.calls[1]?.body).toMatchObject({ input: [{ role: "user" }, answer, { role: "user" }] });
    expect(JSON.stringify(simulator.calls[1]?.body)).not.toMatch(/"(rs|msg)_/);
    await adapter.call(ask(history), hooksOf());
    expect(simulator.calls[2]).toMatchObject({ status: 200, body: { input: [{}, ...messages, {}] } });
  });

  it("PRV-36 calls once more without reasoning where the service cannot read it any more", async () => {
    const { simulator, adapter, ask } = running();
    simulator.script({ reply: { text: "Clause 4.", reasoning: "Let me see." } });
    const start = [openai.userMessage("Clause 4?", [])];
    const first = await adapter.call(ask(start), hooksOf());
    const message = "The encrypted content gAAA could not be verified.";
    simulator.script(
      { fault: { kind: "status", status: 400, code: "invalid_encrypted_content", message } },
      { reply: { text: "Clause 5." } },
    );
    const second = await adapter.call(
      ask([...start, ...first.messages, openai.userMessage("And 5?", [])]),
      hooksOf(),
    );
    expect(openai.outputText(second.messages)).toBe("Clause 5.");
    expect(simulator.calls.map(({ body }) => JSON.stringify(body).includes('"type":"reasoning"'))).toEqual([
      false,
      true,
      false,
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { anthropic } from "../../src/core/dialects/anthropic/index.js";
import { createAnthropicProvider } from "../../src/providers/anthropic.js";
import { hooksOf, itIsAnAdapter } from "./adapter-suite.js";
import { collectCall, failureOf } from "./collect-call.js";

const PDF = Buffer.from("%PDF-1.7\n%holdfast\n%%EOF\n").toString("base64");

describe("createAnthropicProvider", () => {
  const running = itIsAnAdapter({
    provider: "anthropic",
    dialect: anthropic,
    model: "claude-haiku-4-5",
    create: createAnthropicProvider,
  });

  it("PRV-17 tells thinking apart from the answer, and sends it back signed as it came", async () => {
    const { simulator, adapter, ask } = running();
    simulator.script({ reply: { text: "Clause 4.", reasoning: "Let me see what the contract says." } });
    const start = [anthropic.userMessage("Clause 4?", [])];
    const { reply, text, reasoning } = await collectCall(adapter, ask(start));
    expect([text, reasoning]).toEqual(["Clause 4.", "Let me see what the contract says."]);
    expect(reply.messages).toEqual([
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: reasoning, signature: expect.stringMatching(/./) },
          { type: "text", text: "Clause 4." },
        ],
      },
    ]);
    await adapter.call(ask([...start, ...reply.messages, anthropic.userMessage("And 5?", [])]), hooksOf());
    expect(simulator.calls[1]).toMatchObject({ status: 200, issues: [] });
    expect(simulator.calls[1]?.body).toMatchObject({ messages: [{}, reply.messages[0], {}] });
  });

  it("PRV-18 sends PDF and text documents", async () => {
    const { simulator, adapter, ask } = running();
    const files = [
      { mime_type: "application/pdf", name: "a.pdf", data: PDF },
      { mime_type: "text/markdown", name: "b.md", data: Buffer.from("# Notes").toString("base64") },
    ];
    await adapter.call(ask([anthropic.userMessage("Compare.", files)]), hooksOf());
    expect(simulator.calls[0]).toMatchObject({ status: 200, issues: [] });
    expect(simulator.calls[0]?.body).toMatchObject({
      messages: [{ content: [{ source: { data: PDF } }, { source: { data: "# Notes" } }, {}] }],
    });
  });

  it.each([
    ["length", "length", "max_tokens"],
    ["content_filter", "content_filter", "refusal"],
  ] as const)("PRV-19 keeps what was said before %s ended it", async (finishReason, unified, raw) => {
    const { simulator, adapter, question } = running();
    simulator.script({ reply: { text: "Clause 4 is", finishReason } });
    const reply = await adapter.call(question("Clause 4?"), hooksOf());
    expect(anthropic.outputText(reply.messages)).toBe("Clause 4 is");
    expect(reply.finish_reason).toEqual({ unified, raw });
  });

  it("PRV-19 fails as refused where a refusal came without a word", async () => {
    const { simulator, adapter, question } = running();
    simulator.script({ reply: { text: "", finishReason: "content_filter" } });
    const failure = await failureOf(adapter.call(question("Clause 4?"), hooksOf()));
    expect(failure).toMatchObject({ kind: "content_refused", retryable: false });
  });

  it("PRV-21 gives an empty answer back as no message, after which the next question is taken", async () => {
    const { simulator, adapter, ask } = running();
    simulator.script({ reply: { text: "" } });
    const start = [anthropic.userMessage("Say nothing.", [])];
    const reply = await adapter.call(ask(start), hooksOf());
    expect(reply.messages).toEqual([]);
    expect(reply.finish_reason.unified).toBe("stop");
    await adapter.call(ask([...start, anthropic.userMessage("And now?", [])]), hooksOf());
    expect(simulator.calls[1]).toMatchObject({ status: 200, issues: [] });
  });

  it("PRV-25 calls once more without earlier thinking where the service does not accept it any more", async () => {
    const { simulator, adapter, ask } = running();
    simulator.script({ reply: { text: "Clause 4.", reasoning: "Let me see." } });
    const start = [anthropic.userMessage("Clause 4?", [])];
    const first = await adapter.call(ask(start), hooksOf());
    const message = "messages.1.content.0: Invalid `signature` in `thinking` block";
    simulator.script({ fault: { kind: "status", status: 400, message } }, { reply: { text: "Clause 5." } });
    const history = ask([...start, ...first.messages, anthropic.userMessage("And 5?", [])]);
    const second = await adapter.call(history, hooksOf());
    expect(anthropic.outputText(second.messages)).toBe("Clause 5.");
    expect(simulator.calls).toHaveLength(3);
    expect(JSON.stringify(simulator.calls[1]?.body)).toContain("Let me see.");
    expect(JSON.stringify(simulator.calls[2]?.body)).not.toContain("Let me see.");
  });

  it("PRV-91 is asked once for a history with the thinking of another model, and gets none of it", async () => {
    const { simulator, adapter, ask } = running();
    simulator.script({ reply: { text: "Clause 4.", reasoning: "Let me see." } });
    const start = [anthropic.userMessage("Clause 4?", [])];
    const model = "claude-sonnet-5";
    const { messages } = await adapter.call(ask(start, { model }), hooksOf());
    const history = [...start, ...messages, anthropic.userMessage("And 5?", [])];
    await adapter.call(ask(history, { model: "claude-opus-5-5", foreign: new Set([0, 1]) }), hooksOf());
    expect(simulator.calls).toHaveLength(2);
    expect(simulator.calls[1]).toMatchObject({ status: 200, issues: [] });
    expect(simulator.calls[1]?.body).toMatchObject({
      messages: [{}, { content: [{ text: "Clause 4." }] }, {}],
    });
    expect(JSON.stringify(simulator.calls[1]?.body)).not.toContain("Let me see.");
    await adapter.call(ask(history, { model }), hooksOf());
    expect(simulator.calls[2]).toMatchObject({ status: 200, body: { messages: [{}, messages[0], {}] } });
  });

  it("PRV-92 drops a message of another model's thinking only, and the wire takes what then meets", async () => {
    const { simulator, adapter, ask } = running();
    const alone = { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "c2ln" }] };
    const question = anthropic.userMessage("Clause 4?", []);
    await adapter.call(ask([question, alone, question], { foreign: new Set([0, 1]) }), hooksOf());
    expect(simulator.calls).toHaveLength(1);
    expect(simulator.calls[0]).toMatchObject({ status: 200, issues: [], body: { messages: [{}, {}] } });
  });

  it("PRV-25 does not call again for other refusals, or without thinking to leave out", async () => {
    const { simulator, adapter, question } = running();
    simulator.script({ fault: { kind: "status", status: 400, message: "thinking: budget too small" } });
    expect(await failureOf(adapter.call(question("Clause 4?"), hooksOf()))).toMatchObject({
      kind: "bad_request",
    });
    expect(simulator.calls).toHaveLength(1);
  });
});

import { describe, expect, it } from "vitest";
import { resendableMessages } from "../../src/providers/anthropic-reply.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";

const text = { type: "text", text: "Done." };
const thinking = { type: "thinking", thinking: "hm", signature: "c2ln" };
const call = { type: "tool_use", id: "toolu_1", name: "look", input: {}, caller: { type: "direct" } };

const contentOf = (content: readonly object[], stopReason: string | null = "end_turn") =>
  resendableMessages(deepFreeze(content) as Parameters<typeof resendableMessages>[0], stopReason)[0]?.content;

describe("Anthropic's reply as it is sent back", () => {
  it("PRV-20 is one assistant message of its blocks, unknown kinds included", () => {
    const unknown = { type: "hologram", depth: 3 };
    expect(resendableMessages([thinking, text, unknown, call], "tool_use")).toEqual([
      { role: "assistant", content: [thinking, text, unknown, call] },
    ]);
  });

  it("PRV-20 has no blank text and no empty citations", () => {
    const uncited = { ...text, citations: null };
    expect(contentOf([{ type: "text", text: "\n\n" }, uncited])).toEqual([text]);
  });

  it("PRV-20 has citations without the file ids, which the API refuses", () => {
    const citation = { type: "char_location", cited_text: "a", document_index: 0 };
    const cited = { ...text, citations: [{ ...citation, file_id: null }] };
    expect(contentOf([cited])).toEqual([{ ...text, citations: [citation] }]);
  });

  it("PRV-20 has no thinking that is unsigned or stands at the end", () => {
    const unsigned = { ...thinking, signature: "" };
    const redacted = { type: "redacted_thinking", data: "b3BhcXVl" };
    expect(contentOf([redacted, unsigned, text, thinking], "max_tokens")).toEqual([redacted, text]);
  });

  it("PRV-20 has no call that was cut short", () => {
    expect(contentOf([text, call, { ...call, id: "toolu_2" }], "max_tokens")).toEqual([text, call]);
    expect(contentOf([text, { ...call, type: "server_tool_use" }], "refusal")).toEqual([text]);
    expect(contentOf([text, call], "tool_use")).toEqual([text, call]);
  });

  it("PRV-21 is no message at all when nothing was said", () => {
    for (const content of [
      [],
      [thinking],
      [{ type: "text", text: " " }],
      [thinking, { type: "text", text: "" }],
    ]) {
      expect(resendableMessages(content, "end_turn")).toEqual([]);
    }
  });
});

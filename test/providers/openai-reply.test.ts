import { describe, expect, it } from "vitest";
import { resendableItems } from "../../src/providers/openai-reply.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";

const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "b3BhcXVl" };
const part = { type: "output_text", text: "Done.", annotations: [] };
const message = { type: "message", id: "msg_1", status: "completed", role: "assistant", content: [part] };
const call = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "look",
  arguments: "{}",
  status: "completed",
};

const kept = (...items: object[]) =>
  resendableItems(deepFreeze(items) as Parameters<typeof resendableItems>[0]);

describe("OpenAI's reply as it is sent back", () => {
  it("PRV-30 is its items, whole and with their ids, unknown kinds included", () => {
    const unknown = { type: "hologram", id: "ho_1", depth: 3 };
    expect(kept(reasoning, message, unknown, call)).toEqual([reasoning, message, unknown, call]);
  });

  it("PRV-30 has no fields that are null or that helpers of the SDK add", () => {
    const parsed = { ...message, phase: null, content: [{ ...part, parsed: { a: 1 } }] };
    expect(kept({ ...reasoning, status: null }, parsed, { ...call, parsed_arguments: null })).toEqual([
      reasoning,
      message,
      call,
    ]);
  });

  it("PRV-30 has no reasoning that cannot be read again, and then no ids that would ask for it", () => {
    const { id: _m, ...bareMessage } = message;
    const { id: _c, ...bareCall } = call;
    expect(kept({ ...reasoning, encrypted_content: null }, message, call)).toEqual([bareMessage, bareCall]);
  });

  it("PRV-30 has no reasoning that nothing follows, and no call that was cut short", () => {
    expect(kept(reasoning, message, { ...reasoning, id: "rs_2" })).toEqual([reasoning, message]);
    const cut = { ...call, status: "incomplete", arguments: '{"q' };
    expect(kept(reasoning, message, { ...reasoning, id: "rs_2" }, cut)).toEqual([reasoning, message]);
  });

  it("PRV-31 is no item at all when nothing was said", () => {
    for (const content of [[], [{ ...part, text: "" }], [{ type: "refusal", refusal: " " }]]) {
      expect(kept(reasoning, { ...message, content })).toEqual([]);
    }
  });
});

import { describe, expect, it } from "vitest";
import { withoutForeignSignatures } from "../../src/providers/google-signatures.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";

const STAND_IN = "skip_thought_signature_validator";
const SIGNATURE = "c2lnbmF0dXJl";
const hello = { role: "user", parts: [{ text: "Hello" }] };
const call = { functionCall: { id: "a", name: "look_up", args: {} } };
const sibling = { functionCall: { id: "b", name: "look_up", args: {} } };
const round = {
  role: "model",
  parts: [
    { text: "hm", thought: true },
    { text: "", thoughtSignature: SIGNATURE },
    { ...call, thoughtSignature: SIGNATURE },
    sibling,
  ],
};
const answer = { role: "model", parts: [{ text: "Yes.", thought: false, thoughtSignature: SIGNATURE }] };

const sent = (foreign: readonly number[], ...history: readonly (typeof hello | typeof round | object)[]) =>
  withoutForeignSignatures(deepFreeze(history as (typeof hello)[]), new Set(foreign));

describe("the signatures in a request to Google", () => {
  it("PRV-90 can be left out for other models, and only for them", () => {
    expect(sent([0, 1], hello, answer, hello, answer)).toEqual([
      hello,
      { role: "model", parts: [{ text: "Yes.", thought: false }] },
      hello,
      answer,
    ]);
    expect(sent([], hello, round, answer)).toEqual([hello, round, answer]);
  });

  it("PRV-94 are replaced by the documented stand-in on calls, without which Gemini 3 refuses them", () => {
    expect(sent([1], hello, round)).toEqual([
      hello,
      { role: "model", parts: [{ ...call, thoughtSignature: STAND_IN }, sibling] },
    ]);
  });

  it("PRV-94 stay where they are stand-ins already", () => {
    for (const thoughtSignature of [STAND_IN, "context_engineering_is_the_way_to_go"]) {
      const content = {
        role: "model",
        parts: [
          { ...call, thoughtSignature },
          { text: "x", thoughtSignature },
        ],
      };
      expect(sent([0], content)[0]).toBe(content);
    }
  });

  it("PRV-92 take with them a part that was there for them alone, and a content of nothing else", () => {
    const alone = {
      role: "model",
      parts: [
        { text: "hm", thought: true },
        { text: "", thoughtSignature: SIGNATURE },
      ],
    };
    expect(sent([0, 1, 2], hello, alone, hello)).toEqual([hello, hello]);
    const call = { role: "model", parts: [{ thought: true, functionCall: { name: "a" } }] };
    expect(sent([0], call)).toEqual([call]);
  });
});

import { describe, expect, it } from "vitest";
import { decisionRequest } from "../../src/client/decide-call.js";
import { UsageError } from "../../src/core/errors/errors.js";
import type { JsonObject } from "../../src/core/json.js";

const circle: Record<string, unknown> = {};
circle.self = circle;
const deep = Array.from({ length: 300 }).reduce<JsonObject>((inner) => ({ inner }), {});

describe("a decision on a tool call", () => {
  it.each([
    ["a function", { arguments: () => 1 }],
    ["a function inside", { arguments: { run: () => 1 } }],
    ["a list", { arguments: [1] }],
    ["a text", { arguments: "x" }],
    ["null", { arguments: null }],
    ["a BigInt", { arguments: { amount: 1n } }],
    ["a circle", { arguments: circle }],
    ["300 levels", { arguments: deep }],
    ["a key that is refused", { arguments: { constructor: "Foo" } }],
    ["too much", { arguments: { text: "x".repeat(70_000) } }],
    ["a reason that is no text", { reason: 5 }],
  ])("TOL-56 is refused before it is sent with %s", (_what, options) => {
    const decide = () => decisionRequest("approve", 1, options as never);
    expect(decide).toThrow(UsageError);
    expect(decide).toThrow(/^(approve takes|arguments are) [^\n]{1,600}$/);
  });

  it("TOL-56 is sent as it was given", () => {
    const options = { reason: "Fine.", turnId: "t1", arguments: { amount: 7 } };
    expect(decisionRequest("approve", "call_1", options)).toEqual({
      call: "call_1",
      turn_id: "t1",
      reason: "Fine.",
      arguments: { amount: 7 },
    });
    expect(() => decisionRequest("deny", 1, { arguments: {} } as never)).toThrow(UsageError);
  });
});

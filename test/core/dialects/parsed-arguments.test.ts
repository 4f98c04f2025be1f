import { describe, expect, it } from "vitest";
import { convertHistory } from "../../../src/core/dialects/convert.js";
import { DIALECTS } from "../../../src/core/dialects/index.js";
import { mendHistory } from "../../../src/core/dialects/mend-history.js";
import { isNestedTooDeep, parsedArguments } from "../../../src/core/dialects/parsed-arguments.js";
import { InvalidHistoryError } from "../../../src/core/errors/errors.js";
import { DIALECT_NAMES } from "../../../src/core/providers.js";

const nested = (depth: number): string => `{"x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
const DEEP = nested(20_000);

describe("arguments of a call that came as text", () => {
  it("DIA-381 are a value down to 200 levels of nesting, and the text itself below", () => {
    expect(parsedArguments("")).toEqual({});
    expect(parsedArguments('{"x":1}')).toEqual({ x: 1 });
    expect(parsedArguments("{broken")).toBe("{broken");
    expect(parsedArguments(nested(200))).toEqual(JSON.parse(nested(200)));
    for (const text of [nested(201), DEEP]) {
      expect(parsedArguments(text)).toBe(text);
      expect(isNestedTooDeep(text)).toBe(true);
    }
    for (const other of ["{broken", nested(200), { x: 1 }, 7, null])
      expect(isNestedTooDeep(other)).toBe(false);
  });

  it.each(["openai", "fireworks"] as const)(
    "DIA-381 %s: are found so in an open call, and overflow nothing later",
    (name) => {
      const history = {
        openai: [{ type: "function_call", call_id: "a", name: "look", arguments: DEEP }],
        fireworks: [
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "a", type: "function", function: { name: "look", arguments: DEEP } }],
          },
        ],
      }[name];
      const dialect = DIALECTS[name];
      expect(dialect.openToolCalls(history)).toEqual([{ id: "a", name: "look", arguments: DEEP }]);
      const answered = [
        dialect.userMessage("Go.", []),
        ...history,
        ...dialect.toolResultMessages([
          { call: { id: "a", name: "look" }, output: "Error: no.", is_error: true },
        ]),
      ];
      expect(mendHistory(name, answered).messages).toHaveLength(answered.length);
      for (const to of DIALECT_NAMES) {
        try {
          expect(convertHistory({ from: name, to, messages: answered }).messages.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidHistoryError);
        }
      }
    },
  );
});

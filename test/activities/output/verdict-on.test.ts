import { describe, expect, it } from "vitest";
import { OutputSchemaCheck } from "../../../src/activities/output/output-schema-check.js";
import { verdictOn } from "../../../src/activities/output/verdict-on.js";
import { OverDeadlineError } from "../../../src/activities/output/within-deadline.js";
import type { FinishReason, NativeMessage } from "../../../src/core/envelope/envelope.js";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";

const check = new OutputSchemaCheck({
  type: "object",
  properties: { a: { type: "number" } },
  required: ["a"],
});

function verdict(text: string, unified: FinishReason["unified"] = "stop", repaired = false) {
  const messages: readonly NativeMessage[] =
    text === "" ? [] : [{ role: "assistant", content: [{ type: "text", text }] }];
  const performed = { messages, finish_reason: { unified, raw: unified } };
  return verdictOn(check, { input: repaired ? { repaired: true } : {}, performed, provider: "anthropic" });
}

describe("what comes of an answer that was to fit a schema", () => {
  it.each([['{"a": 1}'], ['\n {"a":1}\n'], ['```json\n{"a": 1}\n```'], ['```\n{"a": 1}\n```']])(
    "OUT-18 takes %j, the value alone or in one fence of code",
    async (text) => {
      expect(await verdict(text)).toEqual({ structured: true });
    },
  );

  it.each([
    ["", /there is no text/],
    ["It is 1.", /the answer is not JSON/],
    ['Here: {"a": 1}', /the answer is not JSON/],
    ['{"a": "1"}', /- \/a: Instance type "string"/],
    [`{"a": 1, "b": ${"[".repeat(500)}${"]".repeat(500)}}`, /expected at most 200 levels of nesting/],
  ])("OUT-2 sends %j back with what is wrong", async (text, fault) => {
    expect(await verdict(text)).toEqual({ repair: expect.stringMatching(fault) });
    expect(await verdict(text, "stop", true)).toEqual({
      invalid_output: expect.stringMatching(/^The answer does not fit/),
    });
  });

  it("OUT-4 takes an answer that is whole although it was cut, and sends no other back", async () => {
    expect(await verdict('{"a": 1}', "length")).toEqual({ structured: true });
    expect(await verdict('{"a": ', "length")).toEqual({ invalid_output: expect.stringContaining("was cut") });
    expect(await verdict("I cannot.", "content_filter")).toEqual({
      invalid_output: expect.stringContaining("refused"),
    });
  });

  it.each<readonly [string, JsonObject, JsonValue, RegExp]>([
    [
      "takes too long",
      { pattern: "^(a+)+$" },
      `${"a".repeat(60)}!`,
      /against its JSON Schema \(it takes more/,
    ],
    ["throws", { patternProperties: { "(": true } }, { a: 1 }, /\(Invalid regular expression/],
  ])(
    "OUT-23 ends the turn where the check of an answer %s, and sends nothing back",
    async (_, schema, value, why) => {
      const performed = {
        messages: [{ role: "assistant", content: [{ type: "text", text: JSON.stringify(value) }] }],
        finish_reason: { unified: "stop", raw: "end_turn" } as const,
      };
      const slow = new OutputSchemaCheck(schema);
      const found = await verdictOn(slow, {
        input: {},
        performed,
        provider: "anthropic",
        longestCheckMs: 100,
      });
      expect(found).toEqual({ invalid_output: expect.stringMatching(why) });
    },
  );

  it("OUT-25 goes on in a thread with a check that the loop has no time for", async () => {
    const text = JSON.stringify(Array.from({ length: 4_000 }, (_, index) => ({ index })));
    const performed = {
      messages: [{ role: "assistant", content: [{ type: "text", text }] }],
      finish_reason: { unified: "stop", raw: "end_turn" } as const,
    };
    const unique = new OutputSchemaCheck({ uniqueItems: true, maxItems: 3_999 });
    expect(() => unique.faults(JSON.parse(text))).toThrow(OverDeadlineError);
    const found = await verdictOn(unique, {
      input: {},
      performed,
      provider: "anthropic",
      longestCheckMs: 60_000,
    });
    expect(found).toEqual({ repair: expect.stringContaining("Array has too many items") });
  });

  it("OUT-3 names the first faults only, bounded", async () => {
    const wide = new OutputSchemaCheck({ additionalProperties: { type: "number" } });
    const text = JSON.stringify(
      Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, "x"])),
    );
    const performed = {
      messages: [{ role: "assistant", content: [{ type: "text", text }] }],
      finish_reason: { unified: "stop", raw: "end_turn" } as const,
    };
    const { repair = "" } = await verdictOn(wide, { input: {}, performed, provider: "anthropic" });
    expect(repair.split("\n- ")).toHaveLength(12);
    expect(repair).toContain("more");
    const { invalid_output = "" } = await verdictOn(wide, {
      input: { repaired: true },
      performed,
      provider: "anthropic",
    });
    expect(invalid_output).toMatch(/and \d+ more\. Ask again/);
  });
});

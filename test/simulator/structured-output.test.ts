import { describe, expect, it } from "vitest";
import { OutputSchemaCheck } from "../../src/activities/output/output-schema-check.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { validateAnthropicRequest } from "../../src/simulator/anthropic/validate.js";
import { exampleValue } from "../../src/simulator/example-value.js";
import { validateFireworksRequest } from "../../src/simulator/fireworks/validate.js";
import { validateGoogleRequest } from "../../src/simulator/google/validate.js";
import { validateOpenaiRequest } from "../../src/simulator/openai/validate.js";

const OPEN = { type: "object", properties: { a: { type: "string" } } };
const CLOSED = { ...OPEN, required: ["a"], additionalProperties: false };

function anthropic(format: JsonValue, model = "claude-haiku-4-5") {
  const messages = [{ role: "user", content: "Hi" }];
  return validateAnthropicRequest({ model, max_tokens: 100, messages, output_config: { format } });
}
const openai = (format: JsonValue, model = "gpt-6-luna") =>
  validateOpenaiRequest({ model, input: "Hi", text: { format } });
const google = (generationConfig: JsonObject, more: JsonObject = {}, model = "gemini-3.5-flash") =>
  validateGoogleRequest(
    { contents: [{ role: "user", parts: [{ text: "Hi" }] }], generationConfig, ...more },
    { model },
  );
const fireworks = (response_format: JsonValue, more: JsonObject = {}) =>
  validateFireworksRequest({
    model: "accounts/fireworks/models/kimi-k3",
    messages: [{ role: "user", content: "Hi" }],
    response_format,
    ...more,
  });
const json = (schema: JsonValue) => ({ type: "json_schema", schema });
const named = (schema: JsonValue, more: JsonObject = {}) => ({
  type: "json_schema",
  name: "a",
  schema,
  ...more,
});

describe("the fields that ask for an answer of a schema", () => {
  it.each<readonly [string, readonly { readonly message: string }[], RegExp]>([
    ["an open object", anthropic(json(OPEN)), /'additionalProperties' must be explicitly set to false/],
    [
      "a bound",
      anthropic(json({ type: "integer", minimum: 1 })),
      /For 'integer' type, properties minimum are not supported/,
    ],
    ["recursion", anthropic(json({ ...CLOSED, properties: { a: { $ref: "#" } } })), /Circular reference/],
    ["another type", anthropic({ type: "json", schema: CLOSED }), /should be 'json_schema'/],
    [
      "an older model",
      anthropic(json(CLOSED), "claude-3-5-haiku-20241022"),
      /does not support output format/,
    ],
    [
      "no name",
      openai({ type: "json_schema", schema: CLOSED }),
      /Missing required parameter: 'text\.format\.name'/,
    ],
    [
      "a list",
      openai(named({ type: "array", items: {} })),
      /must be a JSON Schema of 'type: "object"', got 'type: "array"'/,
    ],
    [
      "strict and open",
      openai(named(OPEN, { strict: true })),
      /response_format 'a': In context=\(\), 'additionalProperties'/,
    ],
    [
      "strict and optional",
      openai(named({ ...OPEN, additionalProperties: false }, { strict: true })),
      /Missing 'a'/,
    ],
    [
      "strict deep within",
      openai(named({ ...CLOSED, properties: { a: { anyOf: [OPEN] } } }, { strict: true })),
      /context=\('properties', 'a', 'anyOf', '0'\)/,
    ],
    [
      "strict with a length",
      openai(named({ ...CLOSED, properties: { a: { type: "string", minLength: 1 } } }, { strict: true })),
      /'minLength' is not permitted/,
    ],
    ["an older model", openai(named(CLOSED), "gpt-4-turbo"), /not supported with this model/],
    ["no MIME type", google({ responseJsonSchema: OPEN }), /only supported when response mime type/],
    [
      "two schemas",
      google({ responseMimeType: "application/json", responseJsonSchema: OPEN, responseSchema: OPEN }),
      /cannot both be set/,
    ],
    [
      "more than a reference",
      google({
        responseMimeType: "application/json",
        responseJsonSchema: { $ref: "#/$defs/a", title: "A", $defs: { a: OPEN } },
      }),
      /beside `\$ref`/,
    ],
    [
      "tools before Gemini 3",
      google(
        { responseMimeType: "application/json" },
        { tools: [{ functionDeclarations: [{ name: "a" }] }] },
        "gemini-2.5-flash",
      ),
      /Function calling with a response mime type: 'application\/json' is unsupported/,
    ],
    ["another type", fireworks({ type: "schema" }), /Input should be 'text'/],
    ["no schema", fireworks({ type: "json_schema", json_schema: { name: "a" } }), /json_schema\.schema/],
    [
      "tools",
      fireworks({ type: "json_object" }, { tools: [{ type: "function", function: { name: "a" } }] }),
      /You cannot specify response format and function call at the same time/,
    ],
  ])("SIM-60 %s is refused as the service does", (_what, issues, message) => {
    expect(issues.map((issue) => issue.message).join("\n")).toMatch(message);
  });

  it("SIM-60 what the services take is taken", () => {
    expect([
      anthropic(json(CLOSED)),
      openai(named(CLOSED, { strict: true })),
      openai(named(OPEN, { strict: false })),
      google({ responseMimeType: "application/json", responseJsonSchema: OPEN }),
      fireworks({ type: "json_schema", json_schema: { name: "a", schema: OPEN } }),
    ]).toEqual([[], [], [], [], []]);
  });
});

describe("the example of a schema", () => {
  it.each<readonly [JsonObject]>([
    [OPEN],
    [{ type: "array", items: { type: "integer", exclusiveMinimum: 4, multipleOf: 3 }, minItems: 2 }],
    [
      {
        type: "object",
        properties: { when: { type: "string", format: "date-time" }, id: { type: "string", format: "uuid" } },
      },
    ],
    [
      {
        type: "object",
        properties: { next: { anyOf: [{ type: "null" }, { $ref: "#" }] }, n: { $ref: "#/$defs/n" } },
        $defs: { n: { enum: ["x"] } },
      },
    ],
    [
      {
        type: "object",
        required: ["children"],
        properties: { children: { type: "array", items: { $ref: "#" } } },
      },
    ],
    [
      {
        allOf: [
          { type: "object", properties: { a: { const: 1 } } },
          { type: "object", properties: { b: { type: "boolean" } } },
        ],
      },
    ],
    [{ type: "string", minLength: 70 }],
    [{ type: ["integer", "null"], maximum: 0 }],
    [{ type: "array", prefixItems: [{ type: "number" }, { type: "string", maxLength: 3 }], items: false }],
  ])("SIM-61 of %j fits it, and is the same every time", (schema) => {
    const context = { words: "What is clause 4?", root: schema };
    const value = exampleValue(schema, context);
    expect(new OutputSchemaCheck(schema).faults(value)).toEqual([]);
    expect(exampleValue(schema, context)).toEqual(value);
  });

  it("SIM-61 is a small number where a library bounds whole numbers by what a number can hold", () => {
    const context = { words: "", root: {} };
    const whole = { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
    expect(exampleValue(whole, context)).toBe(1);
    expect(exampleValue({ ...whole, maximum: -3 }, context)).toBe(-3);
    expect(exampleValue({ type: "integer", minimum: 0, maximum: 5, multipleOf: 7 }, context)).toBe(0);
  });

  it("SIM-61 goes by bounds that were moved into the description", () => {
    const schema = { type: "integer", description: "Days\n\n{minimum: 14, multipleOf: 5}" };
    expect(exampleValue(schema, { words: "", root: schema })).toBe(15);
  });
});

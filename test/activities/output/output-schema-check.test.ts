import { describe, expect, it } from "vitest";
import { OutputSchemaCheck, outputSchemaFault } from "../../../src/activities/output/output-schema-check.js";
import { OverDeadlineError } from "../../../src/activities/output/within-deadline.js";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { deepFreeze } from "../../core/dialects/deep-freeze.js";

const SCHEMA: JsonObject = deepFreeze({
  type: "object",
  properties: {
    name: { type: "string", minLength: 2 },
    tags: { type: "array", items: { $ref: "#/$defs/tag" } },
    either: { anyOf: [{ type: "string" }, { type: "null" }] },
    id: { type: "string", format: "uuid" },
  },
  required: ["name"],
  additionalProperties: false,
  $defs: { tag: { enum: ["a", "b"] } },
});

describe("the check of an answer", () => {
  it.each<readonly [JsonValue, readonly RegExp[]]>([
    [{ name: "Ann", tags: ["a"], either: null }, []],
    [[], [/^\(the whole value\): Instance type "array" is invalid/]],
    [{ tags: [] }, [/^\(the whole value\): .*required property "name"/]],
    [
      { name: "A", tags: ["a", "c"] },
      [/^\/name: String is too short/, /^\/tags\/1: Instance does not match any of/],
    ],
    [{ name: "Ann", either: 7 }, [/^\/either: Instance does not match any subschemas/]],
    [{ name: "Ann", more: 1 }, [/^\/more: Nothing may stand here/]],
    [{ name: "Ann", id: "x" }, [/^\/id: String does not match format "uuid"/]],
  ])("OUT-17 says of %j by JSON pointer what is wrong, and nothing that follows from it", (value, faults) => {
    const found = new OutputSchemaCheck(SCHEMA).faults(value);
    expect(found).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });

  it.each<readonly [JsonObject, RegExp | undefined]>([
    [SCHEMA, undefined],
    [{}, undefined],
    [{ type: ["string", "null"], description: "a", "x-own": { type: 3 } }, undefined],
    [{ type: "strin" }, /^\/type: /],
    [{ properties: { a: { type: "text" } } }, /^\/properties\/a\/type: /],
    [{ properties: [] }, /^\/properties: /],
    [{ required: "a" }, /^\/required: /],
    [{ pattern: "(" }, /^\/pattern: /],
    [{ anyOf: [] }, /^\/anyOf: /],
    [{ $ref: "#" }, /without end/],
    [{ type: "array", items: { $ref: "#" } }, undefined],
    [{ $ref: "#/$defs/none" }, /^\$ref "#\/\$defs\/none" leads nowhere/],
    [{ properties: { a: { $ref: "https://example.com/schema" } } }, /leads nowhere/],
  ])("OUT-10 %j is looked at before it is used", (schema, fault) => {
    const found = outputSchemaFault(schema);
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
  });

  it.each<readonly [string, JsonObject, RegExp | undefined]>([
    ["a pattern as key", { patternProperties: { "(": true } }, /^\/patternProperties: .*"\("/],
    ["a long pattern", { pattern: "a".repeat(1_001) }, /^\/pattern: .*too long/],
    ["required by a number", { dependentRequired: { a: 5 } }, /^\/dependentRequired\/a: /],
    ["a dependency on a number", { dependencies: { a: 5 } }, /^\/dependencies\/a: /],
    ["a schema within a dependency", { dependencies: { a: { type: 5 } } }, /^\/dependencies\/a\/type: /],
    ["too few of a text", { contains: true, minContains: "1" }, /^\/minContains: /],
    ["a format that every object has", { items: { format: "__proto__" } }, /^\/items\/format: /],
    ["the recursion of another draft", { items: { $recursiveRef: "#" } }, /^\/items\/\$recursiveRef: /],
    ["what only a reference reaches", { $ref: "#/x-own", "x-own": { pattern: "(" } }, /^#\/x-own\/pattern: /],
    ["an empty reference", { items: { $ref: "" } }, /leads nowhere/],
    ["a circle below a property", { properties: { a: { $ref: "#/properties/a" } } }, /without end/],
    [
      "a circle of two",
      definitions([{ $ref: "#/$defs/d1" }, { allOf: [{ $ref: "#/$defs/d0" }] }]),
      /without end/,
    ],
    ["what doubles thirty times", doubling(30), /unfold to more than 5000 schemas/],
    ["a chain of references", definitions(chain(150)), /more than 100 schemas that lead to each other/],
    ["ids within ids, each looked at twice", nestedIds(60), /more than 250 ms/],
    ["what doubles four times", doubling(4), undefined],
    ["a tree", { properties: { left: { $ref: "#" }, right: { $ref: "#" } } }, undefined],
    ["a format that nobody knows", { format: "currency" }, undefined],
    ["a version", { pattern: "^\\d+(\\.\\d+)*$" }, undefined],
  ])("OUT-22 looks at %s before anything is held against it", (_, schema, fault) => {
    const found = outputSchemaFault(schema);
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
  });

  it.each<readonly [string, JsonObject, JsonValue]>([
    ["a pattern", { pattern: "^(a+)+$" }, `${"a".repeat(60)}!`],
    ["a pattern of keys", { patternProperties: { "^(a+)+$": true } }, { [`${"a".repeat(60)}!`]: 1 }],
    ["a doubled property", { patternProperties: { a: { $ref: "#" }, "^a": { $ref: "#" } } }, nested(60)],
  ])("OUT-23 cuts off the check of an answer that %s keeps from ending", (_, schema, value) => {
    expect(outputSchemaFault(schema)).toBeUndefined();
    expect(() => new OutputSchemaCheck(schema).faults(value)).toThrow(OverDeadlineError);
  });
});

function doubling(times: number): JsonObject {
  const twice = Array.from({ length: times }, (_, index) => {
    const $ref = `#/$defs/d${index}`;
    return { anyOf: [{ $ref }, { $ref }] };
  });
  return { ...definitions([{ type: "string" }, ...twice]), $ref: `#/$defs/d${times}` };
}

function definitions(schemas: readonly JsonObject[]): JsonObject {
  return { $defs: Object.fromEntries(schemas.map((schema, index) => [`d${index}`, schema])) };
}

function chain(length: number): readonly JsonObject[] {
  const links = Array.from({ length }, (_, index) => ({ $ref: `#/$defs/d${index + 1}` }));
  return [...links, { type: "string" }];
}

function nestedIds(levels: number): JsonObject {
  let schema: JsonObject = { type: "string" };
  for (let level = levels; level > 0; level -= 1)
    schema = { $id: `https://example.com/${level}`, items: schema };
  return schema;
}

function nested(levels: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

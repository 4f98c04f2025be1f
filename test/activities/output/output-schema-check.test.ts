import { describe, expect, it } from "vitest";
import { OutputSchemaCheck, outputSchemaFault } from "../../../src/activities/output/output-schema-check.js";
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

  it("OUT-17 says of a schema that leads back to itself without end that nothing can be checked", () => {
    const endless = { properties: { a: { $ref: "#/properties/a" } } };
    expect(new OutputSchemaCheck(endless).faults({ a: 1 })).toEqual([expect.stringMatching(/without end/)]);
  });
});

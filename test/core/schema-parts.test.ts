import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import { isRecursive } from "../../src/core/schema-parts.js";

/** Each schema holds the next one twice. */
function twice(times: number, last: JsonObject): JsonObject {
  const defs = Array.from({ length: times }, (_, index): [string, JsonObject] => {
    const $ref = `#/$defs/d${index + 1}`;
    return [`d${index}`, { properties: { left: { $ref }, right: { $ref } } }];
  });
  return { $ref: "#/$defs/d0", $defs: Object.fromEntries([...defs, [`d${times}`, last]]) };
}

describe("whether a schema is recursive", () => {
  it.each<readonly [string, JsonObject, boolean]>([
    ["is flat", { properties: { a: { type: "string" } } }, false],
    ["holds itself", { properties: { a: { $ref: "#" } } }, true],
    ["refers to the same schema twice", twice(1, { type: "string" }), false],
    ["doubles sixty times", twice(60, { type: "string" }), false],
    ["doubles sixty times and leads back", twice(60, { items: { $ref: "#/$defs/d30" } }), true],
    ["leads deeper than anybody follows", twice(400, { type: "string" }), true],
    [
      "has a name that is no part of an address",
      { $ref: "#/$defs/%", $defs: { "%": { items: false } } },
      false,
    ],
  ])("OUT-24 is said at once of one that %s", (_, schema, expected) => {
    expect(isRecursive(schema)).toBe(expected);
  });
});

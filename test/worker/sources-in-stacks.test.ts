import { createContext, runInContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { sourcesInStacks } from "../../src/worker/sources-in-stacks.js";

const MAP = { version: 3, sources: ["made.ts"], names: [], mappings: "AAAA;AACA" };
const CODE = "function fail() {\n  return new Error('Broken').stack; }\nfail();";

function stackOf(map: object, filename = "bundle.js"): string {
  const code = `${CODE}\n//# sourceMappingURL=data:application/json;base64,${btoa(JSON.stringify(map))}`;
  const context = createContext({});
  runInContext("Error", context).prepareStackTrace = sourcesInStacks({ code, filename: "bundle.js" });
  return runInContext(code, context, { filename });
}

describe("the stack of a workflow's error", () => {
  it("WRK-423 names sources, functions and what called them", () => {
    const [message, first, ...others] = stackOf(MAP).split("\n");
    expect([message, first]).toEqual(["Error: Broken", "    at fail (made.ts:2:10)"]);
    expect(others[0]).toMatch(/^ {4}at made\.ts:\d+:1$/);
    expect(others.at(-1)).toMatch(/^ {4}at \S+/);
  });

  it("WRK-423 keeps what the source map does not know, and what is no line of the bundle", () => {
    expect(stackOf({ ...MAP, mappings: "" })).toContain("    at fail (bundle.js:2:10)");
    expect(stackOf(MAP, "other.js")).toContain("    at fail (other.js:2:10)");
  });

  it("WRK-423 leaves the process's own stacks alone", () => {
    const before = Error.prepareStackTrace;
    stackOf(MAP);
    expect(Error.prepareStackTrace).toBe(before);
  });
});

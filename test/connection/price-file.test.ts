import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pricesFromEnvironment } from "../../src/connection/price-file.js";
import { UsageError } from "../../src/core/errors/errors.js";
import { createWorker } from "../../src/worker/create-worker.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "holdfast-prices-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function read(text: string | undefined, named = "prices.json") {
  if (text !== undefined) writeFileSync(join(root, "prices.json"), text);
  return pricesFromEnvironment({ HOLDFAST_PRICES: named }, root);
}

describe("the file of HOLDFAST_PRICES", () => {
  it("BUD-13 is found from the folder; where none is named there are no prices", () => {
    const table = { "claude-haiku-*": { input: 1, output: 5, cache_read: 0.1 } };
    expect(read(JSON.stringify(table))).toEqual(table);
    expect(read(undefined, join(root, "prices.json"))).toEqual(table);
    expect(read(undefined, "  ")).toBeUndefined();
    expect(pricesFromEnvironment({}, root)).toBeUndefined();
  });

  it.each([
    [
      "that is not there",
      undefined,
      /^HOLDFAST_PRICES names .*prices\.json, which cannot be read \(ENOENT.*or unset it\.$/,
    ],
    ["that is no JSON", "{", /^HOLDFAST_PRICES names .*prices\.json, which cannot be read \(.*JSON/],
    ["of null", "null", /^HOLDFAST_PRICES \(.*prices\.json\): prices: expected an object, found null\.$/],
    [
      "with half a price",
      '{"gpt-6-*": {"input": 1}}',
      /prices\.gpt-6-\*\.output: expected a number from 0 to 1,000,000,000/,
    ],
  ])("BUD-13 %s is refused in one line", (_what, text, message) => {
    expect(() => read(text)).toThrow(UsageError);
    expect(() => read(text)).toThrow(message);
  });

  it("BUD-13 stops a worker before it takes work, as a table of its own does", async () => {
    const options = { address: "127.0.0.1:1", cwd: root, env: { HOLDFAST_PRICES: "none.json" } };
    await expect(createWorker(options)).rejects.toThrow("HOLDFAST_PRICES names");
    const prices = { "claude-*": { input: -1, output: 1 } };
    await expect(createWorker({ ...options, prices })).rejects.toThrow("createWorker: prices.claude-*.input");
  });
});

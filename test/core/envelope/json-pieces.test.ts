import { describe, expect, it } from "vitest";
import { jsonPieces } from "../../../src/core/envelope/json-pieces.js";
import { joined } from "../../../src/core/envelope/serialise-envelope.js";
import { canonicalJson, slicesOf } from "../../../src/core/hash.js";

const LARGE = "QUJD".repeat(100_000);
const stringify = (value: unknown): string => JSON.stringify(value);

describe("JSON in pieces", () => {
  it("ENV-90 is the same text, with each large attachment as a piece of its own that was not copied", () => {
    const value = {
      messages: [{ data: LARGE }, "née 😀", { url: `data:image/png;base64,${LARGE}` }],
      n: 1,
      a: null,
    };
    for (const write of [stringify, canonicalJson]) {
      const pieces = jsonPieces(value, write);
      expect(joined(pieces)).toBe(write(value));
      expect(pieces.filter((piece) => piece.length >= LARGE.length)).toHaveLength(2);
    }
  });

  it("ENV-90 is the same text where a document has what stands in for an attachment, or large text of another kind", () => {
    const own = ["\uE0F50\uE0F5", "\uE0F57\uE0F5", "\uE0F5", "\uE0F5\uE0F5"];
    for (const text of own)
      for (const value of [{ text }, { text, data: LARGE }, [LARGE, text, LARGE], { [text]: LARGE }])
        expect(joined(jsonPieces(value, stringify))).toBe(stringify(value));
    for (const text of ['"'.repeat(300_000), "😀".repeat(300_000), `${LARGE}\\`, `${LARGE}\ud800`])
      expect(joined(jsonPieces({ text }, stringify))).toBe(stringify({ text }));
  });

  it("ENV-90 is cut for hashing without breaking a letter in two", () => {
    const text = `x${"😀".repeat(1_100_000)}`;
    const slices = [...slicesOf(text)];
    expect(slices.length).toBeGreaterThan(2);
    expect(slices.join("") === text).toBe(true);
    expect(slices.every((slice) => slice.isWellFormed())).toBe(true);
    expect([...slicesOf("")]).toEqual([]);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonByteLength, jsonTextByteLength } from "../../src/core/json-byte-length.js";

const utf8Length = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
/** Any UTF-16 code units, lone surrogates and control characters among them. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
  .map((codes) => String.fromCharCode(...codes));

describe("jsonByteLength", () => {
  it("ENV-1 is the length of JSON.stringify in UTF-8, for any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(jsonByteLength(value)).toBe(utf8Length(value));
      }),
    );
  });

  it("ENV-1 counts escapes, surrogate pairs and lone surrogates", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(jsonByteLength(text)).toBe(utf8Length(text));
      }),
    );
    for (const text of [
      '"\\\b\f\n\r\t\u0001\u007f',
      "é€😀",
      "\ud800",
      "\udc00\ud800",
      "\ud83d\ude00\ud83d",
    ]) {
      expect(jsonByteLength({ [text]: text }), JSON.stringify(text)).toBe(utf8Length({ [text]: text }));
    }
  });

  it("ENV-1 leaves out undefined members and counts what JSON has no form for as null", () => {
    const value = {
      a: undefined,
      b: [undefined, Number.NaN, Number.POSITIVE_INFINITY, -0, 1e21, 1e-7],
      c: {},
    };
    expect(jsonByteLength(value)).toBe(utf8Length(value));
    expect(jsonByteLength({ a: undefined })).toBe(2);
    expect(jsonByteLength(undefined)).toBe(0);
  });

  it("ENV-1 counts a text from its bytes alone", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(jsonTextByteLength(new TextEncoder().encode(text))).toBe(utf8Length(text) - 2);
      }),
    );
  });
});

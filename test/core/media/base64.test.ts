import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64Length, decodedLength, isCanonicalBase64 } from "../../../src/core/media/base64.js";

const roundTrips = (text: string) => Buffer.from(text, "base64").toString("base64") === text;

describe("base64", () => {
  it("MED-4 is canonical exactly where decoding and encoding gives the same text", () => {
    const anyCase = fc.oneof(
      fc.base64String(),
      fc.string({ unit: fc.constantFrom("A", "B", "z", "9", "+", "/", "=", "-", "_", "\n") }),
    );
    fc.assert(
      fc.property(anyCase, (text) => {
        expect(isCanonicalBase64(text)).toBe(text !== "" && roundTrips(text));
      }),
      { numRuns: 500 },
    );
    for (const text of ["", "AAA", "AAAA\n", "AB==", "AAB=", "====", "A===", "AA-_", "$media:a"]) {
      expect(isCanonicalBase64(text), text).toBe(false);
    }
    for (const text of ["AA==", "AAA=", "AAAA", "/+8="]) expect(isCanonicalBase64(text), text).toBe(true);
  });

  it("MED-4 is looked through at any length", () => {
    const long = "A".repeat(8_000_000);
    expect(isCanonicalBase64(long)).toBe(true);
    expect(isCanonicalBase64(`${long.slice(1)}!`)).toBe(false);
  });

  it("MED-4 has lengths that are known without decoding", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = Buffer.from(bytes).toString("base64");
        expect(base64Length(bytes.length)).toBe(text.length);
        expect(decodedLength(text)).toBe(bytes.length);
        expect(decodedLength(text.replaceAll("=", ""))).toBe(bytes.length);
      }),
    );
  });
});

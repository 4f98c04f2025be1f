import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64ToText, textToBase64 } from "../../../src/core/media/base64-text.js";

describe("text as base64", () => {
  it("DIA-25 is the canonical base64 of the text's UTF-8, and comes back as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        expect(textToBase64(text)).toBe(Buffer.from(text, "utf8").toString("base64"));
        expect(base64ToText(textToBase64(text))).toBe(text);
      }),
    );
  });

  it("DIA-25 keeps a byte order mark and what crosses its inner chunks", () => {
    const text = `\uFEFF${"é1 €".repeat(9000)}`;
    expect(textToBase64(text)).toBe(Buffer.from(text, "utf8").toString("base64"));
    expect(base64ToText(textToBase64(text))).toBe(text);
  });

  it("DIA-25 shows bytes that are no UTF-8 as U+FFFD", () => {
    expect(base64ToText(Buffer.from([0x41, 0xe9, 0x42]).toString("base64"))).toBe("A\uFFFDB");
  });
});

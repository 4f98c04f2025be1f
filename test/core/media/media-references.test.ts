import { describe, expect, it } from "vitest";
import { namedDigests } from "../../../src/core/media/media-references.js";

const digest = (letter: string): string => letter.repeat(64);

describe("what a value names", () => {
  it("MED-161 is every marker, reference and key of a media table, however deep", () => {
    const value = {
      messages: [
        { content: [{ source: { data: `$media:${digest("a")}.pdf` } }] },
        { image_url: { url: `data:image/png;base64,$media:${digest("b")}.png` } },
      ],
      media: {
        [digest("c")]: { mime_type: "image/png", size_bytes: 3, ref: `${digest("d")}.png` },
      },
      attic: [{ messages: [{ text: `see $media:${digest("e")}.txt and $media:${digest("f")}.txt` }] }],
    };
    expect([...namedDigests(value)].sort()).toEqual(["a", "b", "c", "d", "e", "f"].map(digest));
  });

  it("MED-161 is nothing in bytes, numbers, plain text, or digests that are no key", () => {
    const value = [null, 7, true, "text", digest("a"), `$media:${digest("A")}.pdf`, "x".repeat(5_000)];
    expect([...namedDigests(value)]).toEqual([]);
    expect([...namedDigests(undefined)]).toEqual([]);
  });

  it("MED-161 is found at any depth without running out of stack", () => {
    let value: unknown = `$media:${digest("a")}.pdf`;
    for (let depth = 0; depth < 100_000; depth++) value = [value];
    expect([...namedDigests(value)]).toEqual([digest("a")]);
  });
});

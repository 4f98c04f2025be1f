import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PAGE_BYTES, type Page, type PageRequest } from "../../../src/core/conversation/messages.js";
import { PageReader, pageOf } from "../../../src/core/conversation/page.js";

const bytesOf = (page: unknown): number => Buffer.byteLength(JSON.stringify(page));

/** Reads a list page by page as a reader across the wire does, and holds every page to its bound. */
function readAll<T>(list: readonly T[], from: PageRequest = {}): { values: readonly T[]; pages: number } {
  const reader = new PageReader<T>();
  let pages = 0;
  let request: PageRequest | null = from;
  while (request !== null) {
    const page: Page<T> = JSON.parse(JSON.stringify(pageOf(list, request, 1)));
    expect(bytesOf(page)).toBeLessThanOrEqual(PAGE_BYTES);
    reader.add(page);
    request = page.next;
    pages++;
    expect(pages).toBeLessThan(10_000);
  }
  return { values: reader.values, pages };
}

const unit = fc.constantFrom("a", '"', "\\", "\u0000", "\n", "é", "\u2028", "語", "🙂", "\ud83d", "\udc00");
const entry = fc.record({
  role: fc.constantFrom("user", "assistant"),
  text: fc.tuple(unit, fc.nat(40_000)).map(([character, count]) => character.repeat(count)),
  tail: fc.string({ unit, maxLength: 20 }),
});

describe("pages", () => {
  it("CNV-31 answers an empty list with an empty last page", () => {
    expect(pageOf([], {}, 7)).toEqual({ entries: [], total: 0, next: null, version: 7 });
  });

  it("CNV-32 cuts pages by bytes, and each says how many entries there are and where the next begins", () => {
    const list = Array.from({ length: 10 }, (_, index) => ({ index, text: "x".repeat(30_000) }));
    const page = pageOf(list, {}, 1);
    expect(page.entries.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(page).toMatchObject({ total: 10, next: { from: 3, part: 0 } });
    expect(readAll(list)).toEqual({ values: list, pages: 4 });
  });

  it("CNV-33 gives an entry above 96 KiB in parts of its JSON, and the reader puts it together exactly", () => {
    for (const character of ["x", '"', "\\", "\u0001", "é", "\u2028", "🙂", "\ud83d"]) {
      const list = [{ text: "before" }, { text: character.repeat(200_000) }, { text: "after" }];
      const { values, pages } = readAll(list);
      expect(values, character).toEqual(list);
      expect(pages).toBeGreaterThan(3);
    }
    const first = pageOf([{ text: "x".repeat(100_000) }], {}, 1);
    expect(first.entries[0]).toMatchObject({ index: 0, part: 0, parts: 4 });
    expect(first.next).toEqual({ from: 0, part: 1 });
  });

  it("CNV-34 keeps every page within 96 KiB and gives back any list whole", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), (list) => {
        expect(readAll(list).values).toEqual(list);
      }),
      { numRuns: 60 },
    );
  });

  it("CNV-35 begins where it is asked to and gives at most as many entries as asked for", () => {
    const list = Array.from({ length: 10 }, (_, index) => ({ index }));
    expect(pageOf(list, { from: 8 }, 1).entries.map(({ index }) => index)).toEqual([8, 9]);
    expect(pageOf(list, { from: 2, limit: 3 }, 1)).toMatchObject({
      entries: [{ index: 2 }, { index: 3 }, { index: 4 }],
      total: 10,
      next: null,
    });
    expect(pageOf(list, { limit: 0 }, 1).entries).toEqual([]);
    const large = [{ text: "x".repeat(100_000) }, { text: "next" }];
    expect(pageOf(large, { limit: 1, part: 3 }, 1).next).toBeNull();
    expect(pageOf(large, { limit: 1, part: 2 }, 1).next).toEqual({ from: 0, part: 3 });
  });

  it.each([
    [undefined],
    [null],
    ["from"],
    [[]],
    [{ from: -1 }],
    [{ from: 1.5 }],
    [{ from: "2" }],
    [{ limit: -4, part: Number.NaN }],
    [{ from: null, part: {}, limit: [] }],
  ])("CNV-36 takes the hostile request %j for none", (request) => {
    const list = [{ index: 0 }, { index: 1 }];
    expect(pageOf(list, request, 1)).toEqual(pageOf(list, {}, 1));
  });

  it("CNV-37 answers a cursor beyond the list with an empty page, and one beyond the parts with the last part", () => {
    const list = [{ text: "x".repeat(100_000) }];
    for (const from of [1, 1e9, Number.MAX_SAFE_INTEGER, 1e308]) {
      expect(pageOf(list, { from }, 1)).toMatchObject({ entries: [], next: null });
    }
    expect(pageOf(list, { part: 1e9 }, 1)).toMatchObject({ entries: [{ part: 3, parts: 4 }], next: null });
  });

  it("CNV-38 never skips parts of a large entry for a cursor that pointed into a small one", () => {
    const list = [{ text: "small" }, { text: "x".repeat(100_000) }];
    expect(pageOf(list, { from: 0, part: 3 }, 1).next).toEqual({ from: 1, part: 0 });
    expect(readAll(list, { from: 0, part: 3 }).values).toEqual(list);
  });
});

import { describe, expect, it } from "vitest";
import type { MediaReportEntry } from "../../../src/core/envelope/envelope.js";
import { addedEntries, toldMedia } from "../../../src/core/media/media-report.js";

const missing = (digit: string): MediaReportEntry => ({
  reason: "missing_blob",
  mime_type: "application/pdf",
  size: 5,
  message_index: 0,
  detail: `${digit.repeat(64)}.pdf`,
});

describe("a report on media", () => {
  it("MED-236 has what goes on happening once, and two parts that nothing tells apart twice", () => {
    const [one, two] = [missing("1"), missing("2")];
    expect(addedEntries([one], [one, two, { ...two, size: 0 }])).toEqual([two]);
    expect(addedEntries([], [one, { ...one, detail: `no media store is named for ${one.detail}` }])).toEqual([
      one,
    ]);
    const { detail: _, ...stripped } = { ...one, reason: "stripped" } as const;
    expect(addedEntries([], [stripped, stripped])).toEqual([stripped, stripped]);
  });

  it("MED-235 shows at most 20 entries in a turn's result, and none is no key", () => {
    expect(toldMedia([])).toEqual({});
    const many = Array.from({ length: 30 }, (_, index) => ({ ...missing("3"), message_index: index }));
    expect(toldMedia([...many, ...many]).media_report).toEqual(many.slice(0, 20));
  });
});

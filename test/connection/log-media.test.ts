import { describe, expect, it } from "vitest";
import { logMedia } from "../../src/connection/log-media.js";
import type { MediaReportEntry } from "../../src/core/envelope/envelope.js";

const REASONS: readonly MediaReportEntry["reason"][] = [
  "missing_blob",
  "over_inline_threshold",
  "expired_reuploaded",
  "dead_uri_reuploaded",
  "expired_unavailable",
  "stripped",
  "invalid_media",
];

describe("what the log is told of media", () => {
  it("MED-231 is a warning for what is missing or left out, a note for what was mended, one line each", () => {
    const [warned, noted]: [string[], string[]] = [[], []];
    const logger = {
      warn: (line: string) => void warned.push(line),
      info: (line: string) => void noted.push(line),
    };
    const entries = REASONS.map((reason) => ({
      reason,
      mime_type: "application/pdf",
      size: 48_231,
      message_index: 4,
    }));
    logMedia(logger, entries, { conversation_id: "review" });
    const first = (line: string) => line.split(":")[0];
    expect(warned.map(first)).toEqual([
      "missing_blob",
      "over_inline_threshold",
      "expired_unavailable",
      "invalid_media",
    ]);
    expect(noted.map(first)).toEqual(["expired_reuploaded", "dead_uri_reuploaded"]);
    for (const line of [...warned, ...noted]) {
      expect(line).toContain("message 4, application/pdf, 48231 bytes");
      expect(line).not.toContain("\n");
    }
  });
});

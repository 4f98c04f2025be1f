import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readEnvelopeText, utf8 } from "../../src/client/read-envelope-text.js";
import { writeEnvelopeFile } from "../../src/connection/checkpoint-file.js";
import { savedEnvelope } from "../../src/connection/export-envelope.js";
import { assertReadableText, MOST_ENVELOPE_BYTES } from "../../src/core/envelope/readable-size.js";
import { serialiseEnvelope } from "../../src/core/envelope/serialise-envelope.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { sampleEnvelope } from "../support/envelope-samples.js";
import { PDF, withFiles } from "../support/stored-files.js";

const REFUSAL =
  /^The envelope cannot be written: it would be \d+\.\d MB, and a file above 536\.9 MB cannot be read again\. Externalize .* \(strip\)\. Nothing was written\.$/;

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-large-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** More text than fits a string, in one string that stands in many places. */
function tooLong() {
  const text = "A".repeat(8 * 1024 * 1024);
  const messages = Array.from({ length: 65 }, () => ({ role: "user", content: text }));
  return { ...sampleEnvelope("anthropic", 2), messages, turn_index: [] };
}

describe("an envelope above what can be read again", () => {
  it("ENV-93 is not written: the last good file stays, and one line names the size and the remedy", async () => {
    const path = join(folder, "review.json");
    const good = await writeEnvelopeFile(path, sampleEnvelope("anthropic", 2));
    await expect(writeEnvelopeFile(path, tooLong())).rejects.toThrow(REFUSAL);
    expect(await readFile(path, "utf8")).toBe(good);
    expect(() => serialiseEnvelope(tooLong())).toThrow(REFUSAL);
  });

  it("ENV-93 is refused before its media are read", async () => {
    const { envelope } = await withFiles("anthropic", [{ mime_type: "application/pdf", bytes: PDF }]);
    const media = Object.fromEntries(
      Object.entries(envelope.media).map(([digest, entry]) => [
        digest,
        { ...entry, size_bytes: 450_000_000 },
      ]),
    );
    const unread = new MemoryMediaStore();
    unread.get = () => expect.fail("a blob was read");
    const plan = { policy: "inline", maxInlineBytes: null } as const;
    const saving = savedEnvelope({ ...envelope, media }, plan, { working: unread, target: undefined });
    await expect(saving).rejects.toThrow(REFUSAL);
  });

  it("ENV-93 is measured in bytes of UTF-8", () => {
    expect(() => assertReadableText(["abc", "€", "é", "😀"], 12)).not.toThrow();
    expect(() => assertReadableText(["abc", "€", "é", "😀"], 11)).toThrow(REFUSAL);
  });

  it("ENV-94 is not read: one line says so, from a file and from stdin", async () => {
    const path = join(folder, "large.json");
    await writeFile(path, "{");
    await truncate(path, MOST_ENVELOPE_BYTES + 1);
    const refusal =
      /large\.json has 536\.9 MB, and an envelope above 536\.9 MB cannot be read: save .* \(externalize\) or without/;
    await expect(readEnvelopeText("large.json", folder)).rejects.toThrow(refusal);
    const bytes = { byteLength: MOST_ENVELOPE_BYTES + 1 } as Buffer;
    expect(() => utf8(bytes, "The envelope")).toThrow(/^The envelope has 536\.9 MB/);
  });
});

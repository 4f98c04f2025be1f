import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { dialectFor } from "../../../src/core/dialects/index.js";
import {
  base64Places,
  extractMedia,
  mediaTable,
  StoredBlobs,
  type StoredMedia,
} from "../../../src/core/media/extract-media.js";
import { inlineMedia, markerPlaces } from "../../../src/core/media/inline-media.js";
import { keyOf, markerFor, mediaKey } from "../../../src/core/media/marker.js";
import { PROVIDER_NAMES } from "../../../src/core/providers.js";
import { deepFreeze } from "../dialects/deep-freeze.js";

const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1").toString("base64");
const PDF = Buffer.from("%PDF-1.7 the contract").toString("base64");

function stored(mime_type: string, base64: string): StoredMedia {
  const bytes = Buffer.from(base64, "base64");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { key: mediaKey(sha256, mime_type), mime_type, size_bytes: bytes.length };
}

function historyOf(provider: (typeof PROVIDER_NAMES)[number]) {
  const files = [
    { mime_type: "image/png", name: "seal.png", data: PNG },
    { mime_type: "application/pdf", name: "contract.pdf", data: PDF },
  ];
  const dialect = dialectFor(provider);
  const messages = [dialect.userMessage("Hello", []), dialect.userMessage("What is this?", files)];
  const places = base64Places(dialect, messages);
  const blobs = new StoredBlobs();
  for (const place of places) blobs.set(place, stored(place.mime_type, place.data));
  const base64 = new Map(places.map((place) => [blobs.get(place)?.key ?? "", place.data]));
  return { dialect, messages: deepFreeze(messages), places, blobs, base64 };
}

describe("media in a history", () => {
  it("MED-5 become markers and come back byte for byte, on every provider", () => {
    for (const provider of PROVIDER_NAMES) {
      const { dialect, messages, places, blobs, base64 } = historyOf(provider);
      expect(places.map(({ message_index, mime_type }) => [message_index, mime_type])).toEqual([
        [1, "image/png"],
        [1, "application/pdf"],
      ]);
      const marked = extractMedia(dialect, messages, blobs);
      expect(JSON.stringify(marked)).not.toContain(PDF);
      expect(markerPlaces(dialect, marked).map(({ key }) => key)).toEqual([...base64.keys()]);
      expect(inlineMedia(dialect, deepFreeze(marked), base64)).toEqual(messages);
    }
  });

  it("MED-5 leaves a message without media the very same object", () => {
    const { dialect, messages, blobs } = historyOf("anthropic");
    expect(extractMedia(dialect, messages, blobs)[0]).toBe(messages[0]);
  });

  it("MED-6 leaves base64 that is not canonical where it stands", () => {
    const data = `${PNG}\n`;
    const dialect = dialectFor("google");
    const messages = [dialect.userMessage("?", [{ mime_type: "image/png", name: "a.png", data }])];
    expect(base64Places(dialect, messages)).toEqual([]);
    expect(extractMedia(dialect, messages, new Map())).toEqual(messages);
  });

  it("MED-7 counts markers in media positions only: a user who types one has typed text", () => {
    const marker = markerFor(`${"ab".repeat(32)}.png`);
    for (const provider of PROVIDER_NAMES) {
      const dialect = dialectFor(provider);
      const messages = [dialect.userMessage(marker, [])];
      expect(markerPlaces(dialect, messages)).toEqual([]);
      expect(inlineMedia(dialect, messages, new Map([[keyOf(marker) ?? "", PNG]]))).toEqual(messages);
    }
  });

  it("MED-8 never takes a malformed key from a history for a marker", () => {
    const data = `$media:../../${"ab".repeat(32)}.png`;
    const dialect = dialectFor("anthropic");
    const messages = [dialect.userMessage("?", [{ mime_type: "image/png", name: "a.png", data }])];
    expect(markerPlaces(dialect, messages)).toEqual([]);
  });

  it("MED-9 leaves a marker whose blob is missing in the history", () => {
    const { dialect, messages, blobs, base64 } = historyOf("openai");
    const marked = extractMedia(dialect, messages, blobs);
    const [png, pdf] = [...base64.keys()];
    const found = new Map([[png ?? "", PNG]]);
    expect(markerPlaces(dialect, inlineMedia(dialect, marked, found)).map(({ key }) => key)).toEqual([pdf]);
  });

  it("MED-11 gives the media table type, size and key of each blob, under its digest", () => {
    const blob = stored("application/pdf", PDF);
    expect(mediaTable([blob])).toEqual({
      [blob.key.slice(0, 64)]: { mime_type: "application/pdf", size_bytes: 21, ref: blob.key },
    });
  });
});

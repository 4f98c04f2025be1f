import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { loadMedia } from "../../src/activities/load-media.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import type { NativeMessage } from "../../src/core/envelope/envelope.js";
import { BlobDamagedError } from "../../src/media-stores/blob-damaged-error.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";

const dialect = dialectFor("anthropic");
const bytes = new TextEncoder().encode("%PDF-1.7 a contract");
const key = `${createHash("sha256").update(bytes).digest("hex")}.pdf`;
const question = dialect.userMessage("What does it say?", [
  { mime_type: "application/pdf", name: "contract.pdf", data: `$media:${key}` },
]);
const signal = new AbortController().signal;
const all = (messages: readonly NativeMessage[]) => ({ messages, turnFrom: messages.length, signal });

describe("loadMedia", () => {
  it("ACT-14 puts the bytes in the place of their markers, in the request only", async () => {
    const store = new MemoryMediaStore();
    await store.put(key, bytes);
    const history = deepFreeze([question, question]);
    const { messages: sent, report } = await loadMedia(store, dialect, { ...all(history), turnFrom: 1 });
    expect(report).toEqual([]);
    expect(JSON.stringify(sent)).not.toContain("$media:");
    expect(JSON.stringify(sent).split(Buffer.from(bytes).toString("base64"))).toHaveLength(3);
    expect(JSON.stringify(history)).toContain("$media:");
  });

  it("ACT-15 passes messages without media through as they are", async () => {
    const history = [{ role: "user", content: `I typed $media:${key}` }];
    const { messages } = await loadMedia(new MemoryMediaStore(), dialect, all(history));
    expect(messages).toBe(history);
  });

  it("ACT-16 fails for good where a blob of the turn itself is missing, naming the blob and the setting", async () => {
    const loading = { ...all([question]), turnFrom: 0 };
    await expect(loadMedia(new MemoryMediaStore(), dialect, loading)).rejects.toMatchObject({
      type: "media.missing_blob",
      nonRetryable: true,
      message: expect.stringMatching(new RegExp(`${key}.*HOLDFAST_MEDIA_STORE`)),
    });
  });

  it("MED-210 goes without a medium of the history whose bytes are gone, with a text in its place, and reports it", async () => {
    const history = deepFreeze([question, { role: "assistant", content: "Read." }, question]);
    const { messages, report } = await loadMedia(new MemoryMediaStore(), dialect, {
      ...all(history),
      leftOut: { from: 2, to: 6 },
    });
    expect(JSON.stringify(messages)).not.toContain("$media:");
    expect(JSON.stringify(messages)).toContain("[application/pdf: its bytes are missing]");
    expect(JSON.stringify(history)).toContain("$media:");
    const entry = { reason: "missing_blob", mime_type: "application/pdf", detail: key, preserved: true };
    expect(report).toEqual([
      { ...entry, size: 0, message_index: 0 },
      { ...entry, size: 0, message_index: 6 },
    ]);
  });

  it("MED-210 goes without bytes that have changed, or are no longer what the history says", async () => {
    const damaged = { get: () => Promise.reject(new BlobDamagedError(key, "damaged")) };
    const gone = await loadMedia(damaged, dialect, all([question]));
    expect(gone.report).toMatchObject([{ reason: "missing_blob" }]);
    const store = new MemoryMediaStore();
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
      "base64",
    );
    const lying = `${createHash("sha256").update(png).digest("hex")}.pdf`;
    await store.put(lying, png);
    const file = { mime_type: "application/pdf", name: "contract.pdf", data: `$media:${lying}` };
    const { messages, report } = await loadMedia(store, dialect, all([dialect.userMessage("Read.", [file])]));
    expect(report).toMatchObject([{ reason: "invalid_media", detail: "its bytes are image/png" }]);
    expect(JSON.stringify(messages)).not.toContain("iVBOR");
  });
});

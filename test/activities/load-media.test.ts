import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { loadMedia } from "../../src/activities/load-media.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import type { NativeMessage } from "../../src/core/envelope/envelope.js";
import { mediaKey } from "../../src/core/media/marker.js";
import type { ProviderName } from "../../src/core/providers.js";
import { BlobDamagedError } from "../../src/media-stores/blob-damaged-error.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";
import { mp4, WEBP } from "../support/whole-files.js";

const reader = { provider: "anthropic" } as const;
const dialect = dialectFor(reader.provider);
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
    const { messages: sent, report } = await loadMedia(store, reader, { ...all(history), turnFrom: 1 });
    expect(report).toEqual([]);
    expect(JSON.stringify(sent)).not.toContain("$media:");
    expect(JSON.stringify(sent).split(Buffer.from(bytes).toString("base64"))).toHaveLength(3);
    expect(JSON.stringify(history)).toContain("$media:");
  });

  it("ACT-15 passes messages without media through as they are", async () => {
    const history = [{ role: "user", content: `I typed $media:${key}` }];
    const { messages } = await loadMedia(new MemoryMediaStore(), reader, all(history));
    expect(messages).toBe(history);
  });

  it("ACT-16 fails for good where a blob of the turn itself is missing, naming the blob and the setting", async () => {
    const loading = { ...all([question]), turnFrom: 0 };
    await expect(loadMedia(new MemoryMediaStore(), reader, loading)).rejects.toMatchObject({
      type: "media.missing_blob",
      nonRetryable: true,
      message: expect.stringMatching(new RegExp(`${key}.*HOLDFAST_MEDIA_STORE`)),
    });
  });

  it("MED-210 goes without a medium of the history whose bytes are gone, with a text in its place, and reports it", async () => {
    const history = deepFreeze([question, { role: "assistant", content: "Read." }, question]);
    const { messages, report } = await loadMedia(new MemoryMediaStore(), reader, {
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
    const gone = await loadMedia(damaged, reader, all([question]));
    expect(gone.report).toMatchObject([{ reason: "missing_blob" }]);
    const store = new MemoryMediaStore();
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
      "base64",
    );
    const lying = `${createHash("sha256").update(png).digest("hex")}.pdf`;
    await store.put(lying, png);
    const file = { mime_type: "application/pdf", name: "contract.pdf", data: `$media:${lying}` };
    const { messages, report } = await loadMedia(store, reader, all([dialect.userMessage("Read.", [file])]));
    expect(report).toMatchObject([{ reason: "invalid_media", detail: "its bytes are image/png" }]);
    expect(JSON.stringify(messages)).not.toContain("iVBOR");
  });

  it("MED-214 goes without an image, a sound or a video that its provider does not take", async () => {
    const history = deepFreeze([await asking("anthropic", "image/heic", Buffer.from("heic"))]);
    const { messages, report } = await loadMedia(media, reader, all(history));
    expect(JSON.stringify(messages)).toContain("[image/heic: left out, anthropic does not take image/heic]");
    expect(report).toMatchObject([{ reason: "invalid_media", mime_type: "image/heic", preserved: true }]);
    const taken = [await asking("google", "image/heic", Buffer.from("heic"))];
    expect((await loadMedia(media, { provider: "google" }, all(taken))).report).toEqual([]);
  });

  it.each([
    ["image/webp", WEBP],
    ["video/mp4", mp4()],
  ])("MED-214 sends what conversions bring to Fireworks, %s, until it is refused", async (type, file) => {
    const history = [await asking("fireworks", type, file)];
    const fireworks = { provider: "fireworks" } as const;
    expect((await loadMedia(media, fireworks, all(history))).report).toEqual([]);
    const again = { ...all(history), wholeOnly: true };
    const { messages, report } = await loadMedia(media, fireworks, again);
    expect(report).toMatchObject([{ detail: `fireworks does not take ${type}`, preserved: true }]);
    expect(JSON.stringify(messages)).not.toMatch(/base64|_url/);
    const endpoints = { fireworks: [type] };
    expect((await loadMedia(media, { ...fireworks, endpoints }, again)).report).toEqual([]);
  });
});

const media = new MemoryMediaStore();

/** A question with this file, which the store has. */
async function asking(provider: ProviderName, mime_type: string, file: Uint8Array): Promise<NativeMessage> {
  const name = mediaKey(createHash("sha256").update(file).digest("hex"), mime_type);
  await media.put(name, file);
  return dialectFor(provider).userMessage("Look.", [{ mime_type, name, data: `$media:${name}` }]);
}

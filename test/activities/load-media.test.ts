import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { loadMedia } from "../../src/activities/load-media.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";

const dialect = dialectFor("anthropic");
const bytes = new TextEncoder().encode("%PDF-1.7 a contract");
const key = `${createHash("sha256").update(bytes).digest("hex")}.pdf`;
const question = dialect.userMessage("What does it say?", [
  { mime_type: "application/pdf", name: "contract.pdf", data: `$media:${key}` },
]);
const signal = new AbortController().signal;

describe("loadMedia", () => {
  it("ACT-14 puts the bytes in the place of their markers, in the request only", async () => {
    const store = new MemoryMediaStore();
    await store.put(key, bytes);
    const history = deepFreeze([question, question]);
    const sent = await loadMedia(store, dialect, history, signal);
    expect(JSON.stringify(sent)).not.toContain("$media:");
    expect(JSON.stringify(sent).split(Buffer.from(bytes).toString("base64"))).toHaveLength(3);
    expect(JSON.stringify(history)).toContain("$media:");
  });

  it("ACT-15 passes messages without media through as they are", async () => {
    const history = [{ role: "user", content: `I typed $media:${key}` }];
    expect(await loadMedia(new MemoryMediaStore(), dialect, history, signal)).toBe(history);
  });

  it("ACT-16 fails for good where a blob is missing, naming the blob and the setting", async () => {
    await expect(loadMedia(new MemoryMediaStore(), dialect, [question], signal)).rejects.toMatchObject({
      type: "media.missing_blob",
      nonRetryable: true,
      message: expect.stringMatching(new RegExp(`${key}.*HOLDFAST_MEDIA_STORE`)),
    });
  });
});

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { exportEnvelope, readBase64 } from "../../src/connection/export-envelope.js";
import {
  namedStores,
  openMediaStore,
  openNamedStore,
  storeLocation,
} from "../../src/connection/open-media-store.js";
import { commitTurn } from "../../src/core/conversation/turn.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import { checksumOf } from "../../src/core/envelope/checksum.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { serialiseEnvelope } from "../../src/core/envelope/serialise-envelope.js";
import { UsageError } from "../../src/core/errors/errors.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { S3MediaStore } from "../../src/media-stores/s3-media-store.js";
import { answerTo, freshConversation, running } from "../support/conversation-samples.js";
import { SAMPLE_TIME } from "../support/envelope-samples.js";
import { queryHandle } from "../support/query-handle.js";

const bytes = new TextEncoder().encode("%PDF-1.7 a contract");
const base64 = Buffer.from(bytes).toString("base64");
const digest = createHash("sha256").update(bytes).digest("hex");
const key = `${digest}.pdf`;
const file = {
  marker: `$media:${key}`,
  mime_type: "application/pdf",
  size_bytes: bytes.length,
  name: "contract.pdf",
};

function withFile() {
  const started = running(freshConversation(), "a", { files: [file] });
  const question = dialectFor("anthropic").userMessage("Read it.", [{ ...file, data: file.marker }]);
  const messages = [question, { role: "assistant", content: "Read." }];
  return commitTurn(started, answerTo(started, { messages }), SAMPLE_TIME);
}

async function exported(mediaStore: MemoryMediaStore) {
  const { handle } = queryHandle(withFile);
  return exportEnvelope(handle, { savedAt: SAMPLE_TIME, mediaStore });
}

describe("an exported envelope", () => {
  it("CON-39 has its media inline and is sealed; it needs no store to be read", async () => {
    const store = new MemoryMediaStore();
    await store.put(key, bytes);
    const envelope = await exported(store);
    expect(envelope.checksum).toBe(checksumOf(envelope));
    expect(envelope).toMatchObject({ saved_at: SAMPLE_TIME, media_policy: "inline", media: {} });
    expect(JSON.stringify(envelope)).toContain(base64);
    expect(JSON.stringify(envelope)).not.toContain("$media:");
    expect(parseEnvelope(serialiseEnvelope(envelope)).envelope).toEqual(envelope);
  });

  it("CON-40 keeps the marker and the table's entry of a medium that the store does not have", async () => {
    const envelope = await exported(new MemoryMediaStore());
    expect(JSON.stringify(envelope.messages)).toContain(file.marker);
    expect(envelope.media[digest]).toMatchObject({ ref: key, name: "contract.pdf" });
    expect(parseEnvelope(serialiseEnvelope(envelope)).envelope).toEqual(envelope);
  });

  it("CON-41 is read from the store with each blob once, and the signal heeded", async () => {
    const store = new MemoryMediaStore();
    await store.put(key, bytes);
    const missing = `${"0".repeat(64)}.png`;
    expect([...(await readBase64(store, [key, missing]))]).toEqual([[key, base64]]);
    await expect(readBase64(store, [key], AbortSignal.abort("stopped"))).rejects.toBe("stopped");
  });
});

describe("a media store's setting", () => {
  it("CON-42 is the absolute path of a folder, or an s3:// URL", () => {
    expect(openMediaStore("/var/media")).toBeInstanceOf(DirectoryMediaStore);
    expect(openMediaStore("s3://bucket/media")).toBeInstanceOf(S3MediaStore);
    for (const location of ["media", "./media", "s3://", "https://bucket", ""]) {
      expect(() => openMediaStore(location)).toThrow(UsageError);
    }
  });

  it("MED-230 may be a registered name; a folder is made absolute, and what is neither is refused", () => {
    const archive = new MemoryMediaStore();
    const stores = namedStores({ archive });
    expect(openNamedStore("archive", stores)).toBe(archive);
    expect(openNamedStore("/var/media", stores)).toBeInstanceOf(DirectoryMediaStore);
    expect(() => openNamedStore("media", stores)).toThrow(/"media" is registered.*createWorker as stores/);
    expect(() => openNamedStore("toString", stores)).toThrow(UsageError);
    const places = { stores, cwd: "/project" };
    expect(storeLocation("archive", places)).toBe("archive");
    expect(storeLocation("checkpoints/media", places)).toBe("/project/checkpoints/media");
    expect(storeLocation("s3://bucket/media", places)).toBe("s3://bucket/media");
    expect(namedStores(undefined)).toEqual({});
    for (const elsewhere of [
      "gs://bucket/media",
      "s3:/bucket",
      "https://example.test/media",
      "file:///media",
    ])
      expect(() => storeLocation(elsewhere, places)).toThrow(/is no media store that is known here/);
    expect(() => storeLocation("archve", places)).toThrow(/"archve" is registered: did you mean archive\?/);
    expect(storeLocation("./archve", places)).toBe("/project/archve");
    expect(storeLocation("archve", { ...places, stores: {} })).toBe("/project/archve");
    expect(storeLocation("elsewhere", places)).toBe("/project/elsewhere");
    for (const wrong of [[], 7, { "a/b": archive }, { "": archive }, { a: {} }, { a: { put: 1, get: 2 } }]) {
      expect(() => namedStores(wrong)).toThrow(UsageError);
    }
  });
});

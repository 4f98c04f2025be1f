import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withInlineMedia } from "../../../src/connection/export-envelope.js";
import { dialectFor } from "../../../src/core/dialects/index.js";
import type { Envelope, MediaEntry } from "../../../src/core/envelope/envelope.js";
import { persistenceReport } from "../../../src/core/envelope/persistence-report.js";
import { serialiseEnvelope } from "../../../src/core/envelope/serialise-envelope.js";
import { sha256Hex } from "../../../src/core/hash.js";
import { jsonTextByteLength } from "../../../src/core/json-byte-length.js";
import { markerFor, mediaKey } from "../../../src/core/media/marker.js";
import { PROVIDER_NAMES, type ProviderName } from "../../../src/core/providers.js";
import { fullEnvelope, sampleEnvelope } from "../../support/envelope-samples.js";

const inline = (envelope: Envelope, base64: ReadonlyMap<string, string>) =>
  withInlineMedia(envelope, {
    get: async (key) => new Uint8Array(Buffer.from(base64.get(key) ?? "", "base64")),
  });
const fileSize = (envelope: Envelope) => Buffer.byteLength(serialiseEnvelope(envelope));

interface Attachment {
  readonly mime_type: string;
  readonly bytes: Buffer;
}

/** The conversation's state after attachments, with markers, and the base64 that its store would give. */
function withAttachments(provider: ProviderName, attachments: readonly Attachment[]) {
  const blobs = attachments.map(({ mime_type, bytes }) => {
    const sha256 = sha256Hex(bytes.toString("hex"));
    const key = mediaKey(sha256, mime_type);
    const entry: MediaEntry = {
      mime_type,
      size_bytes: bytes.length,
      ref: key,
      ...(mime_type.startsWith("text/") ? { json_bytes: jsonTextByteLength(bytes) } : {}),
    };
    return { sha256, key, entry, base64: bytes.toString("base64") };
  });
  const question = dialectFor(provider).userMessage(
    "What is in here?",
    blobs.map(({ key, entry }, index) => ({
      mime_type: entry.mime_type,
      name: `file-${index}`,
      data: markerFor(key),
    })),
  );
  const sample = sampleEnvelope(provider);
  return {
    envelope: {
      ...sample,
      messages: [...sample.messages, question],
      media: Object.fromEntries(blobs.map(({ sha256, entry }) => [sha256, entry])),
    },
    base64: new Map(blobs.map(({ key, base64 }) => [key, base64])),
  };
}

const attachment = fc.record({
  mime_type: fc.constantFrom("image/png", "application/pdf"),
  bytes: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
});

describe("persistenceReport", () => {
  it("ENV-23 gives exactly the size of the file, whatever the envelope holds", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PROVIDER_NAMES),
        fc.nat(5),
        // ENV-13 refuses these keys.
        fc
          .jsonValue({ maxDepth: 3 })
          .filter((value) => !/"(?:__proto__|prototype|constructor)":/.test(JSON.stringify(value))),
        fc.string({ unit: "binary" }),
        (provider, turns, host, system) => {
          const envelope = sampleEnvelope(provider, turns, { host: { value: host }, system });
          expect(persistenceReport(envelope).size_bytes).toBe(fileSize(envelope));
        },
      ),
      { numRuns: 60 },
    );
    expect(persistenceReport(fullEnvelope()).size_bytes).toBe(fileSize(fullEnvelope()));
  });

  it("ENV-24 counts markers as the base64 that a save writes in their place, on every provider", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...PROVIDER_NAMES),
        fc.array(attachment, { maxLength: 4 }),
        async (provider, attachments) => {
          const { envelope, base64 } = withAttachments(provider, attachments);
          const saved = await inline(envelope, base64);
          expect(saved.media).toEqual({});
          expect(persistenceReport(envelope)).toEqual(persistenceReport(saved));
          expect(persistenceReport(envelope).size_bytes).toBe(fileSize(saved));
        },
      ),
      { numRuns: 100 },
    );
  });

  it("ENV-24 counts a text that the wire carries as text with its escapes", async () => {
    const text = Buffer.from('§ 4\t"Risk"\n\\ 😀\u0001');
    const { envelope, base64 } = withAttachments("anthropic", [{ mime_type: "text/plain", bytes: text }]);
    const saved = await inline(envelope, base64);
    expect(JSON.stringify(saved.messages)).toContain("Risk");
    expect(persistenceReport(envelope).size_bytes).toBe(fileSize(saved));
    expect(persistenceReport(envelope).media).toEqual(persistenceReport(saved).media);
  });

  it("ENV-24 leaves a marker that the media table does not know as it is", () => {
    const { envelope } = withAttachments("openai", [{ mime_type: "image/png", bytes: Buffer.alloc(9) }]);
    const lost = { ...envelope, media: {} };
    expect(persistenceReport(lost).size_bytes).toBe(fileSize(lost));
    expect(persistenceReport(lost).media).toMatchObject([{ size_bytes: 0 }]);
  });

  it("ENV-62 leaves a marker whose blob was reported as missing as it is", async () => {
    const { envelope } = withAttachments("openai", [{ mime_type: "image/png", bytes: Buffer.alloc(9) }]);
    const [key = ""] = Object.values(envelope.media).flatMap(({ ref }) => ref ?? []);
    const entry = {
      reason: "missing_blob",
      mime_type: "image/png",
      size: 9,
      message_index: 4,
      detail: key,
    } as const;
    const lost = { ...envelope, media_report: [{ ...entry, preserved: true }] };
    const saved = await withInlineMedia(lost, { get: async () => undefined });
    expect(JSON.stringify(saved.messages)).toContain(`$media:${key}`);
    expect(persistenceReport(lost).size_bytes).toBe(fileSize(saved));
  });

  it("ENV-25 lists each medium with its message, kind, type and decoded size", async () => {
    const { envelope, base64 } = withAttachments("anthropic", [
      { mime_type: "application/pdf", bytes: Buffer.alloc(48_231) },
      { mime_type: "image/png", bytes: Buffer.alloc(2) },
    ]);
    const expected = {
      message_count: 5,
      media_count: 2,
      media: [
        { message_index: 4, kind: "document", mime_type: "application/pdf", size_bytes: 48_231 },
        { message_index: 4, kind: "image", mime_type: "image/png", size_bytes: 2 },
      ],
    };
    expect(persistenceReport(envelope)).toMatchObject(expected);
    expect(persistenceReport(await inline(envelope, base64))).toMatchObject(expected);
  });
});

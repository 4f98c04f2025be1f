/** Conversations with attachments, as a state has them, and the store that has their bytes. */
import { createHash } from "node:crypto";
import { dialectFor } from "../../src/core/dialects/index.js";
import type { Envelope, MediaEntry } from "../../src/core/envelope/envelope.js";
import { jsonTextByteLength } from "../../src/core/json-byte-length.js";
import { markerFor, mediaKey } from "../../src/core/media/marker.js";
import type { ProviderName } from "../../src/core/providers.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { sampleEnvelope } from "./envelope-samples.js";

export interface SampleFile {
  readonly mime_type: string;
  readonly bytes: Uint8Array;
  /** The address of its upload. */
  readonly uri?: string;
}

export const PDF: Uint8Array = new TextEncoder().encode("%PDF-1.7 a contract");
export const PNG: Uint8Array = new Uint8Array(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "base64",
  ),
);

export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
export const keyOfBytes = (bytes: Uint8Array, mimeType: string): string =>
  mediaKey(sha256Of(bytes), mimeType);

/** By the one wire that has text of its own for files: it knows images and PDF, and the rest is text to it. */
const isCarriedAsText = (mimeType: string): boolean => !/^image\/|^application\/pdf$/.test(mimeType);

/** The state of a conversation whose last question has these files; the store has their bytes. */
export async function withFiles(
  provider: ProviderName,
  files: readonly SampleFile[],
): Promise<{ readonly envelope: Envelope; readonly store: MemoryMediaStore }> {
  const store = new MemoryMediaStore();
  const media: Record<string, MediaEntry> = {};
  const parts = [];
  for (const [index, { mime_type, bytes, uri }] of files.entries()) {
    const key = keyOfBytes(bytes, mime_type);
    await store.put(key, bytes);
    const digest = sha256Of(bytes);
    media[digest] = {
      ...media[digest],
      mime_type,
      size_bytes: bytes.length,
      ref: key,
      ...(isCarriedAsText(mime_type) ? { json_bytes: jsonTextByteLength(bytes) } : {}),
      ...(uri === undefined ? {} : { uri, expiration_time: "2026-03-03T12:00:00.000Z" }),
    };
    parts.push({ mime_type, name: `file-${index}`, data: markerFor(key) });
  }
  const sample = sampleEnvelope(provider);
  const question = dialectFor(provider).userMessage("What is in here?", parts);
  const answer = dialectFor(provider).userMessage("And now?", []);
  return { store, envelope: { ...sample, messages: [...sample.messages, question, answer], media } };
}

export const FILE_ADDRESS = "https://generativelanguage.googleapis.com/v1beta/files/abc123";

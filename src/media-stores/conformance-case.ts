/** The form of a case of the conformance suite, and what the cases share. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { MediaStore } from "../core/media/media-store.js";

/** Opens the same store as often as it is called. */
export type OpenMediaStore = () => MediaStore | Promise<MediaStore>;

export interface MediaStoreTools {
  /** Changes the bytes that are kept under the key, behind the store's back. Without it, damaged blobs are not tried. */
  damage?(key: string): Promise<void>;
}

export interface MediaStoreCase {
  readonly name: string;
  /**
   * Rejects where the store does not conform. `open` is to open a store that was empty before. A case about an optional method
   * resolves for a store that has no such method.
   */
  run(open: OpenMediaStore, tools?: MediaStoreTools): Promise<void>;
}

export interface Blob {
  readonly key: string;
  readonly bytes: Uint8Array;
}

export function blobOf(bytes: Uint8Array, extension = "bin"): Blob {
  return { key: `${createHash("sha256").update(bytes).digest("hex")}.${extension}`, bytes };
}

export function assertSame(blob: Blob, bytes: Uint8Array | undefined): void {
  assert.ok(bytes !== undefined, `${blob.key} is not there`);
  assert.ok(Buffer.from(blob.bytes).equals(bytes), `${blob.key} came back changed`);
}

export async function assertKept(store: MediaStore, blob: Blob): Promise<void> {
  assertSame(blob, await store.get(blob.key));
}

/** The bytes in chunks of that size, with an empty one before the first. */
export async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(0);
  for (let start = 0; start < bytes.byteLength; start += size) yield bytes.slice(start, start + size);
}

/** Forms that no store may take: names that lead elsewhere, other cases, other lengths. */
export const MALFORMED_KEYS: readonly string[] = [
  "",
  ".",
  "..",
  "a.pdf",
  `../${"a".repeat(64)}.pdf`,
  `..\\${"a".repeat(64)}.pdf`,
  `/${"a".repeat(64)}.pdf`,
  `C:\\${"a".repeat(64)}.pdf`,
  `closed/${"a".repeat(64)}.json`,
  `${"a".repeat(64)}.pdf/../../b`,
  `${"a".repeat(64)}.pdf\0`,
  `${"a".repeat(64)}\0.pdf`,
  `${"a".repeat(64)}.pdf\n`,
  ` ${"a".repeat(64)}.pdf`,
  `${"A".repeat(64)}.pdf`,
  `${"a".repeat(64)}.PDF`,
  `${"a".repeat(63)}.pdf`,
  `${"a".repeat(65)}.pdf`,
  `${"a".repeat(64)}`,
  `${"a".repeat(64)}.`,
  `${"a".repeat(64)}.verylongone`,
  `${"a".repeat(64)}.tar.gz`,
  `%2e%2e%2f${"a".repeat(64)}.pdf`,
  `$media:${"a".repeat(64)}.pdf`,
  "a".repeat(100_000),
];

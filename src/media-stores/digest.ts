/** Digests of blobs, computed piece by piece, so that the event loop goes on turning beside a big one. */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { digestOfKey } from "../core/media/marker.js";
import { BlobDamagedError } from "./blob-damaged-error.js";

/** One or two milliseconds of hashing. */
const PIECE_BYTES: number = 1024 * 1024;

/** Hex SHA-256. */
export async function sha256OfBytes(bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  for (const piece of piecesOf(bytes)) {
    hash.update(piece);
    if (bytes.byteLength > PIECE_BYTES) await setImmediate();
  }
  return hash.digest("hex");
}

/** Views of the bytes, a MiB each; none of no bytes. */
export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += PIECE_BYTES)
    yield bytes.subarray(start, start + PIECE_BYTES);
}

/** @throws BlobDamagedError, with `advice` as its last sentence, where the bytes have another digest than the key. */
export async function assertDigest(key: string, bytes: Uint8Array, advice: string): Promise<void> {
  assertSameDigest(key, await sha256OfBytes(bytes), bytes.byteLength, advice);
}

/** Streams that will check themselves, and have not begun, by the key against which they do: they need not be hashed twice. */
const verified = new WeakMap<AsyncIterable<Uint8Array>, string>();

/**
 * The chunks as they come, each once the next is there: iterating throws BlobDamagedError in the place of the last one where
 * all together have another digest than the key.
 */
export function verifiedStream(
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  advice: string,
): AsyncIterable<Uint8Array> {
  if (verified.get(chunks) === key) return chunks;
  const stream: AsyncIterable<Uint8Array> = checkedChunks(key, chunks, {
    advice,
    onStart: () => verified.delete(stream),
  });
  verified.set(stream, key);
  return stream;
}

async function* checkedChunks(
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  { advice, onStart }: { readonly advice: string; readonly onStart: () => void },
): AsyncGenerator<Uint8Array, void, undefined> {
  onStart();
  const hash = createHash("sha256");
  let size = 0;
  let held: Uint8Array | undefined;
  for await (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.byteLength;
    if (held !== undefined) yield held;
    held = chunk;
  }
  assertSameDigest(key, hash.digest("hex"), size, advice);
  if (held !== undefined) yield held;
}

function assertSameDigest(key: string, digest: string, size: number, advice: string): void {
  if (digest === digestOfKey(key)) return;
  throw new BlobDamagedError(
    key,
    `Media blob ${key} is damaged: its ${size} bytes have the SHA-256 ${digest}. ${advice}`,
  );
}

/** Payloads as blobs of the payload store: compressed, each under the SHA-256 of what is stored. */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Payload } from "@temporalio/common";
import proto from "@temporalio/proto";
import { LRUCache } from "lru-cache";
import pLimit from "p-limit";
import { EnvelopeDamagedError } from "../core/errors/errors.js";
import type { MediaStoreCallOptions } from "../core/media/media-store.js";
import type { PayloadStore } from "./open-payload-store.js";

const PayloadMessage = proto.temporal.api.common.v1.Payload;
const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Half the work of the default level, for blobs that are one part in thirty larger (decision 0032). */
const LEVEL = 4;
/** A payload above this is stored as it is, and no blob is decompressed to more. */
export const COMPRESSED_BYTES: number = 64 * 1024 * 1024;
/** As many payloads as 50 conversations of 10,000 turns carry from run to run; some 3 MB. */
const REMEMBERED = 10_000;
/** Threads of the pool that a conversation with many segments may take at once. */
const THREADS = 2;
/** The first byte of what gzip makes. No payload begins with it: there is no such field. */
const GZIP_BYTE = 0x1f;
/** Head and end of a gzip file; the last four bytes are the length of what was compressed (RFC 1952). */
const GZIP_LEAST = 18;
const LEAST_CHUNK = 1_024;

/** The bytes of a payload, in memory that the payload itself keeps alive: what is read of it are views. */
interface Recent {
  readonly memory: WeakRef<ArrayBufferLike>;
  readonly from: number;
  readonly bytes: number;
}

export class PayloadBlobs {
  readonly #store: PayloadStore;
  /** By the digest of a payload's own bytes. */
  readonly #keys: LRUCache<string, string>;
  /** What was read last, for as long as nothing collects it: a run begins with what its first call reads again. */
  readonly #recent: LRUCache<string, Recent>;
  readonly #limit = pLimit(THREADS);

  /** `remembered`: how many payloads are known again. */
  constructor(store: PayloadStore, remembered: number = REMEMBERED) {
    this.#store = store;
    this.#keys = new LRUCache({ max: remembered });
    this.#recent = new LRUCache({ max: remembered });
  }

  /** The key. A payload that this process has lately written or read is not written again: nothing is ever deleted here. */
  async write(payload: Payload, options: MediaStoreCallOptions): Promise<string> {
    options.signal?.throwIfAborted();
    const plain = PayloadMessage.encode(payload).finish();
    const digest = digestOf(plain);
    const known = this.#keys.get(digest);
    if (known !== undefined) return known;
    const bytes = await this.#limit(() => compressed(plain));
    const key = `${createHash("sha256").update(bytes).digest("hex")}.payload`;
    await this.#store.put(key, bytes, options);
    this.#keys.set(digest, key);
    return key;
  }

  /** @throws EnvelopeDamagedError for a blob that is not there or holds no payload; what the store throws. */
  async read(key: string, options: MediaStoreCallOptions): Promise<Payload> {
    const recent = this.#recent.get(key);
    const known = recent && bytesOf(recent);
    if (known !== undefined) return PayloadMessage.decode(known);
    const bytes = await this.#store.get(key, options);
    if (bytes === undefined) {
      throw new EnvelopeDamagedError(
        `The payload ${key} is not in the payload store: point HOLDFAST_PAYLOAD_STORE at the store with which the conversation began.`,
      );
    }
    try {
      const plain = bytes[0] === GZIP_BYTE ? await this.#limit(() => decompressed(bytes)) : bytes;
      const payload = PayloadMessage.decode(plain);
      this.#keys.set(digestOf(plain), key);
      this.#recent.set(key, recentOf(plain));
      return payload;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new EnvelopeDamagedError(
        `The payload ${key} is damaged (${reason}): put it back into the payload store from a backup.`,
      );
    }
  }
}

function recentOf({ buffer, byteOffset, byteLength }: Uint8Array): Recent {
  return { memory: new WeakRef(buffer), from: byteOffset, bytes: byteLength };
}

/** Undefined once the memory has been collected. */
function bytesOf({ memory, from, bytes }: Recent): Uint8Array | undefined {
  const buffer = memory.deref();
  return buffer && new Uint8Array(buffer, from, bytes);
}

/** What does not shrink, as what a codec has encrypted, is left as it is. */
async function compressed(plain: Uint8Array): Promise<Uint8Array> {
  if (plain.byteLength > COMPRESSED_BYTES) return plain;
  const bytes = await compress(plain, { level: LEVEL });
  return bytes.byteLength < plain.byteLength ? bytes : plain;
}

/** Into one piece of memory, where the usual pieces of 16 KiB and the whole that is made of them would be left for the collector. */
function decompressed(bytes: Uint8Array): Promise<Uint8Array> {
  const told =
    bytes.byteLength < GZIP_LEAST
      ? 0
      : new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.byteLength - 4, true);
  const chunkSize = Math.min(Math.max(told, LEAST_CHUNK), COMPRESSED_BYTES);
  return decompress(bytes, { maxOutputLength: COMPRESSED_BYTES, chunkSize });
}

const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("base64");

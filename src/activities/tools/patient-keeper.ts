/** Puts what a tool has returned into the working store, with patience: the tool has done its work, and is not run again for the store's sake. */
import { createHash } from "node:crypto";
import { pause } from "../../connection/pause.js";
import type { FileMarker } from "../../core/envelope/envelope.js";
import { jsonTextByteLength } from "../../core/json-byte-length.js";
import { markerFor, mediaKey } from "../../core/media/marker.js";
import type { MediaStore } from "../../core/media/media-store.js";
import { withAbort } from "../../media-stores/with-abort.js";

/** Between the tries of a put that fails, in milliseconds, in one call of a tool: when they are spent, every other put is tried once. */
const WAITS_MS = [100, 300, 900];

export interface KeptFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly isText: boolean;
}

export interface KeeperOptions {
  readonly store: Pick<MediaStore, "put">;
  /** What all of one result may take: beyond it the server would give the call up, and the tool might run again. */
  readonly withinMs: number;
  /** A stop: nothing is waited for between two tries any more. */
  readonly stop: AbortSignal;
}

export class PatientKeeper {
  readonly #options: KeeperOptions;
  #waits: readonly number[] = WAITS_MS;
  #limit: AbortSignal | undefined;
  #failure: unknown;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Of the first put that was given up; undefined where all were taken in the end. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Never rejects: undefined where the store did not take it. */
  async keep({ name, bytes, mimeType, isText }: KeptFile): Promise<FileMarker | undefined> {
    const key = mediaKey(createHash("sha256").update(bytes).digest("hex"), mimeType);
    if (!(await this.#put(key, bytes))) return undefined;
    return {
      marker: markerFor(key),
      mime_type: mimeType,
      size_bytes: bytes.byteLength,
      name,
      // XML, calendars and cards are known by their beginning, and some wires carry them as text.
      ...(isText ? { json_bytes: jsonTextByteLength(bytes) } : {}),
    };
  }

  async #put(key: string, bytes: Uint8Array): Promise<boolean> {
    const { store, stop, withinMs } = this.#options;
    this.#limit ??= AbortSignal.timeout(withinMs);
    let failure: unknown;
    for (;;) {
      try {
        this.#limit.throwIfAborted();
        await withAbort(store.put(key, bytes, { signal: this.#limit }), this.#limit);
        return true;
      } catch (error) {
        // A limit that has run out says nothing of what was wrong before it did.
        failure = this.#limit.aborted ? (failure ?? silence(withinMs)) : error;
        const [wait, ...later] = this.#waits;
        if (wait === undefined || this.#limit.aborted) {
          this.#failure ??= failure;
          return false;
        }
        this.#waits = later;
        await pause(wait, stop);
      }
    }
  }
}

function silence(withinMs: number): Error {
  return new Error(`it did not take it within ${withinMs / 1_000} s`);
}

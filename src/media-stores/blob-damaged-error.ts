/** Bytes that are not those their key names. */
import { type ExitCode, HoldfastError } from "../core/errors/errors.js";
import { digestOfKey } from "../core/media/marker.js";
import { sha256OfBytes } from "./digest.js";

export class BlobDamagedError extends HoldfastError {
  readonly code = "BlobDamagedError";
  readonly exitCode: ExitCode = 1;
  readonly key: string;

  constructor(key: string, message: string) {
    super(message);
    this.key = key;
  }
}

/** @throws BlobDamagedError, with `advice` as its last sentence, where the bytes have another digest than the key. */
export async function assertDigest(key: string, bytes: Uint8Array, advice: string): Promise<void> {
  const digest = await sha256OfBytes(bytes);
  if (digest === digestOfKey(key)) return;
  throw new BlobDamagedError(
    key,
    `Media blob ${key} is damaged: its ${bytes.byteLength} bytes have the SHA-256 ${digest}. ${advice}`,
  );
}

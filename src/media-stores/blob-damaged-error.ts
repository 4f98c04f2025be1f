/** Bytes that are not those their key names. */
import { type ExitCode, HoldfastError } from "../core/errors/errors.js";

export class BlobDamagedError extends HoldfastError {
  readonly code = "BlobDamagedError";
  readonly exitCode: ExitCode = 1;
  readonly key: string;

  constructor(key: string, message: string) {
    super(message);
    this.key = key;
  }
}

/** A store that cannot be used at the moment: not reachable, not permitted, or not there. */
import { type ExitCode, HoldfastError } from "../core/errors/errors.js";

/** `location` is the folder or the URL of the store. What it keeps is as it was. */
export class MediaStoreUnavailableError extends HoldfastError {
  readonly code = "MediaStoreUnavailableError";
  readonly exitCode: ExitCode = 1;
  readonly location: string;

  constructor(location: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.location = location;
  }
}

/** What stops the tour itself, beside the errors of the package. */
import { HoldfastError } from "../../core/errors/errors.js";

export class TourError extends HoldfastError {
  readonly code = "TourError";
  readonly exitCode = 1;
}

/** A turn whose answer was committed, and whose value the caller's own schema does not take. */
import { type ExitCode, HoldfastError } from "../core/errors/errors.js";
import type { RunResult } from "./run-result.js";

export class OutputParseError extends HoldfastError {
  readonly code = "OutputParseError";
  readonly exitCode: ExitCode = 1;
  /** The committed turn: `output` is the answer's text, `data` its value as the JSON Schema let it pass. */
  readonly result: RunResult;
  /** What the schema says, each in one line. */
  readonly issues: readonly string[];

  constructor(message: string, parts: { readonly result: RunResult; readonly issues: readonly string[] }) {
    super(message);
    this.result = parts.result;
    this.issues = parts.issues;
  }
}

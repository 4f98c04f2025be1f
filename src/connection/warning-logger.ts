/** A logger that says warnings and errors, one line each, and nothing below. */
import type { Logger, LogLevel, LogMetadata } from "@temporalio/common";

export class WarningLogger implements Logger {
  readonly #write: (line: string) => void;

  /** Without `write` the lines go to stderr. */
  constructor(write: (line: string) => void = (line) => process.stderr.write(`holdfast: ${line}\n`)) {
    this.#write = write;
  }

  log(level: LogLevel, message: string, meta?: LogMetadata): void {
    if (level !== "WARN" && level !== "ERROR") return;
    const error = meta?.error;
    const cause = error instanceof Error ? `: ${error.message}` : "";
    this.#write(`${message}${cause}`.replace(/\s+/g, " "));
  }

  trace(): void {}

  debug(): void {}

  info(): void {}

  warn(message: string, meta?: LogMetadata): void {
    this.log("WARN", message, meta);
  }

  error(message: string, meta?: LogMetadata): void {
    this.log("ERROR", message, meta);
  }
}

/** Temporal's logger interface over the command's stderr: a line for each warning, nothing below. */
import type { Logger, LogLevel, LogMetadata } from "@temporalio/common";
import { oneLine } from "./report-error.js";
import type { Terminal } from "./terminal.js";

export class CliLogger implements Logger {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  log(level: LogLevel, message: string, meta?: LogMetadata): void {
    if (level !== "WARN" && level !== "ERROR") return;
    const error = meta?.error;
    const cause = error instanceof Error ? `: ${error.message}` : "";
    this.#terminal.warn(oneLine(`${message}${cause}`));
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

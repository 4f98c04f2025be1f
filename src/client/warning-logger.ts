/** The logger where the caller gives none: warnings and errors, one line each, on stderr. */
import type { Logger, LogLevel, LogMetadata } from "@temporalio/common";

export class WarningLogger implements Logger {
  log(level: LogLevel, message: string, _meta?: LogMetadata): void {
    if (level === "WARN" || level === "ERROR") process.stderr.write(`holdfast: ${message}\n`);
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

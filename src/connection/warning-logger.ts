/** A logger that says warnings and errors, one line each with the conversation they are about, and nothing below. */
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
    this.#write(`${subjectOf(meta)}${wordsOf(message, meta)}${cause}`.replace(/\s+/g, " "));
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

/** Holdfast's own warnings name the conversation by one key, Temporal's its workflow by the other. */
function subjectOf(meta: LogMetadata | undefined): string {
  const id: unknown = meta?.conversation_id ?? meta?.workflowId;
  return typeof id === "string" ? `${id}: ` : "";
}

/** Temporal says that an activity failed; whoever reads it knows turns. */
function wordsOf(message: string, meta: LogMetadata | undefined): string {
  return message === "Activity failed" ? `attempt ${meta?.attempt ?? 1} failed` : message;
}

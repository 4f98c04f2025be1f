/** How a failure ends: one line on stderr, and the exit code of its class. */
import { isHoldfastError } from "../core/errors/errors.js";
import { inCommandWords } from "./remedies.js";
import { type Terminal, withoutControls } from "./terminal.js";

const FAILED = 1;

/** Says what went wrong, and returns the exit code. A stack trace only where it was asked for. */
export function reportError(error: unknown, terminal: Terminal, debug: boolean): number {
  terminal.note(`${terminal.styleNote("red", "holdfast:")} ${oneLine(messageOf(error))}`);
  if (debug && error instanceof Error) terminal.note(withoutControls(traceOf(error)));
  return isHoldfastError(error) ? error.exitCode : FAILED;
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return isHoldfastError(error)
    ? inCommandWords(text)
    : `${text || "Failed"} (HOLDFAST_DEBUG=1 shows where).`;
}

function traceOf(error: Error): string {
  const causes = error.cause instanceof Error ? `\ncaused by ${traceOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${causes}`;
}

/** A provider may answer in several lines, or send what a terminal would obey. */
export function oneLine(text: string): string {
  return withoutControls(text)
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();
}

/** Errors that nobody waits for, in a process that works for many conversations: what a tool leaves behind ends none of them. */
import { cleanText } from "../core/errors/clean-text.js";

const SHOWN_BYTES = 500;
const FAILED = 1;

export interface StrayErrors extends Disposable {
  /** Resolves with the first exception that was thrown where nobody could catch it. */
  readonly thrown: Promise<string>;
  /** The exit code after an orderly end: 1 after such an exception, else undefined. */
  readonly exitCode: number | undefined;
}

/**
 * A rejected promise that nobody handles is said in one line, and work goes on: by itself Node would end the process. After an
 * exception that nobody caught the process is in no known state: it is said, the work is to be ended in order, and a second
 * one ends the process at once.
 */
export function strayErrors(warn: (line: string) => void): StrayErrors {
  const { promise, resolve } = Promise.withResolvers<string>();
  let exitCode: number | undefined;
  const rejected = (reason: unknown): void =>
    warn(`a rejected promise was handled by nobody, most likely a tool's: ${shown(reason)}`);
  const thrown = (error: unknown): void => {
    if (exitCode !== undefined) process.exit(FAILED);
    exitCode = FAILED;
    warn(`an exception was caught by nobody, and this process ends when its work is done: ${shown(error)}`);
    resolve("an exception");
  };
  process.on("unhandledRejection", rejected);
  process.on("uncaughtException", thrown);
  return {
    thrown: promise,
    get exitCode() {
      return exitCode;
    },
    [Symbol.dispose]: () => {
      process.off("unhandledRejection", rejected);
      process.off("uncaughtException", thrown);
    },
  };
}

/** With the place in the code, which is all that tells whose it was. */
function shown(error: unknown): string {
  try {
    if (!(error instanceof Error)) return cleanText(String(error), SHOWN_BYTES);
    const [place] = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
    return cleanText(`${error.name}: ${error.message}${place ?? ""}`, SHOWN_BYTES);
  } catch {
    return "it cannot be shown";
  }
}

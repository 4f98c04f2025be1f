/** Runs a program to its end and tells how it went: never throws for a program that is missing or fails. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface ProgramOutcome {
  /** Null when it could not be started, or was ended by the time limit. */
  readonly code: number | null;
  /** stdout and stderr, at most the last 64 KiB. */
  readonly output: string;
}

export interface ProgramOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly onLine?: (line: string) => void;
}

const OUTPUT_CHARACTERS = 64 * 1024;

export function runProgram(
  program: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramOutcome> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: options.env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: options.timeoutMs,
      windowsHide: true,
    });
    let output = "";
    const take = (line: string): void => {
      output = `${output}${line}\n`.slice(-OUTPUT_CHARACTERS);
      options.onLine?.(line);
    };
    createInterface({ input: child.stdout }).on("line", take);
    createInterface({ input: child.stderr }).on("line", take);
    child.on("error", (error) => resolve({ code: null, output: error.message }));
    child.on("close", (code) => resolve({ code, output: output.trimEnd() }));
  });
}

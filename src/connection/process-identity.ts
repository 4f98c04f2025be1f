/** Whether a recorded process still is the one that was recorded: pids are given out again. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** True when a process of this pid runs, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** When the process started, in the kernel's own count (Linux: clock ticks since boot); null where that cannot be told. */
export function startOf(pid: number): string | null {
  try {
    // The second field is the command in parentheses and may itself hold blanks and parentheses; start time is field 22.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

/** True when the process runs and, where both starts are known, started when the record says. */
export function isSameProcess(pid: number, recordedStart: string | null | undefined): boolean {
  if (!isAlive(pid)) return false;
  const start = startOf(pid);
  return start === null || recordedStart === null || recordedStart === undefined || start === recordedStart;
}

/** The command line of a process, blanks between its words; null where it cannot be read. */
export function commandLineOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
  } catch {
    return commandLineByPs(pid);
  }
}

function commandLineByPs(pid: number): string | null {
  try {
    return execFileSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 2_000,
    }).trim();
  } catch {
    return null;
  }
}

/** When the command was typed: the start of `npm start` where that can be told, else of this process. */
import { readFileSync } from "node:fs";
import { commandLineOf, startOf } from "../../connection/process-identity.js";

/** npm, a shell, node: no more generations than these lie between. */
const GENERATIONS = 4;
/** The kernel counts starts in hundredths of a second on every common Linux. */
const TICK_MS = 10;

/** Milliseconds since the epoch. */
export function commandStart(): number {
  const npm = npmAncestor(process.ppid, GENERATIONS);
  const [theirs, ours] = [npm === null ? null : startOf(npm), startOf(process.pid)];
  if (theirs === null || ours === null) return performance.timeOrigin;
  return performance.timeOrigin - (Number(ours) - Number(theirs)) * TICK_MS;
}

function npmAncestor(pid: number, generations: number): number | null {
  if (process.env.npm_lifecycle_event !== "start" || generations === 0 || pid <= 1) return null;
  if (/^npm\b|npm-cli\.js/.test(commandLineOf(pid) ?? "")) return pid;
  const parent = parentOf(pid);
  return parent === null ? null : npmAncestor(parent, generations - 1);
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null;
  }
}

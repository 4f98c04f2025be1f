/** Small files that are whole or not there: written beside their place and moved into it. */
import { renameSync, rmSync, writeFileSync } from "node:fs";

/** Writes `text` to `path` in one step as readers see it. `mode` is set before the first byte is written. */
export function writeFileAtomically(path: string, text: string, mode = 0o600): void {
  const temporary = `${path}.${process.pid}.${Date.now()}.tmp`;
  try {
    writeFileSync(temporary, text, { mode, flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

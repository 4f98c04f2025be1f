/** Small state files of running processes: whole or not there, written at once. */
import { renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Puts `text` in the place of a file in one step as readers see it, before anything else happens in this process. Nothing
 * is flushed: after a power cut the process is gone as well. What must outlive that is written by `writeFileAtomically`.
 * `mode` is set before the first byte is written.
 */
export function replaceFileSync(path: string, text: string, mode = 0o600): void {
  const temporary = `${path}.${process.pid}.${Date.now()}.tmp`;
  try {
    writeFileSync(temporary, text, { mode, flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

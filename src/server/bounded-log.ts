/** A log file that a child process writes to by itself and that still does not grow without end. */
import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync } from "node:fs";

export interface BoundedLog {
  readonly path: string;
  /** For the child's stdout and stderr. */
  readonly descriptor: number;
  close(): void;
}

/** When the file is above this size its content moves to `<path>.1` and the file starts again. */
export const LOG_BYTES: number = 4 * 1024 * 1024;
const CHECK_INTERVAL_MS = 15_000;

/**
 * Opens the log for appending. The child writes straight to the file, so that nothing depends on this process keeping
 * up or living on; the file is cut in place, which is safe because every write of an append-mode descriptor goes to its end.
 */
export function openBoundedLog(
  path: string,
  limits: { readonly bytes?: number; readonly checkIntervalMs?: number } = {},
): BoundedLog {
  const descriptor = openSync(path, "a+", 0o600);
  const cut = (): void => cutAbove(path, descriptor, limits.bytes ?? LOG_BYTES);
  cut();
  const timer = setInterval(cut, limits.checkIntervalMs ?? CHECK_INTERVAL_MS).unref();
  const close = (): void => {
    clearInterval(timer);
    closeSync(descriptor);
  };
  return { path, descriptor, close };
}

function cutAbove(path: string, descriptor: number, bytes: number): void {
  try {
    if (fstatSync(descriptor).size <= bytes) return;
    copyFileSync(path, `${path}.1`);
    ftruncateSync(descriptor, 0);
  } catch {
    // A log that cannot be cut (a full disk) is tried again at the next check; the server goes on.
  }
}

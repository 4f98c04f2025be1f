/** Local tool calls that have begun on this machine and not ended: nobody else counts them when they take their worker along. */
import { appendFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { remakeFolder } from "./private-folder.js";

const NAMES = /^[0-9a-f]{64}\.begun$/;
/** No turn is that long: whoever began such a call is gone with its conversation. */
const KEPT_MS = 24 * 60 * 60_000;

/** One file a call in the folder of the journal, with one byte for each time that it has begun. Nothing here throws. */
export class BegunCalls {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Written before anything else happens in this process. How often the call had begun before and never ended; 0 where the
   * folder cannot be used.
   *
   * @param key hex SHA-256, the same for each attempt at a call and for no other call
   */
  begin(key: string): number {
    try {
      return this.#begin(key);
    } catch {
      return this.#beginAnew(key);
    }
  }

  #begin(key: string): number {
    appendFileSync(this.#file(key), ".", { mode: 0o600 });
    return statSync(this.#file(key)).size - 1;
  }

  #beginAnew(key: string): number {
    try {
      return remakeFolder(this.#folder) ? this.#begin(key) : 0;
    } catch {
      return 0;
    }
  }

  end(key: string): void {
    try {
      rmSync(this.#file(key), { force: true });
    } catch {
      // It is forgotten with its age.
    }
  }

  forgetOld(): void {
    try {
      for (const name of readdirSync(this.#folder).filter((found) => NAMES.test(found))) {
        const path = join(this.#folder, name);
        if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { force: true });
      }
    } catch {
      // Another worker was faster, or the folder is gone.
    }
  }

  #file(key: string): string {
    return join(this.#folder, `${key}.begun`);
  }
}

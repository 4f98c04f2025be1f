/** Whether this process has stood still while a call was under way, as one that is suspended does. */

/** Ticks come four times a second. A stop reaches a call that goes on ticking in less than what a conversation waits for it (1.5 s). */
const LONGEST_MS = 750;

export class Standstill {
  #last = performance.now();
  #hasStood = false;

  tick(): void {
    const now = performance.now();
    if (now - this.#last > LONGEST_MS) this.#hasStood = true;
    this.#last = now;
  }

  /** What was said to it meanwhile it may not have heard. */
  get hasStood(): boolean {
    this.tick();
    return this.#hasStood;
  }
}

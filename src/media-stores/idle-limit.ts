/** Patience with something remote: a signal that fires at the caller's abort, or when nothing has moved for too long. */

export class IdleLimit implements Disposable {
  readonly signal: AbortSignal;
  readonly #idle = new AbortController();
  readonly #milliseconds: number;
  #timer: NodeJS.Timeout;

  constructor(milliseconds: number, caller?: AbortSignal) {
    this.#milliseconds = milliseconds;
    this.signal = caller === undefined ? this.#idle.signal : AbortSignal.any([caller, this.#idle.signal]);
    this.#timer = this.#start();
  }

  /** True once nothing has moved for too long. */
  get isExpired(): boolean {
    return this.#idle.signal.aborted;
  }

  /** Something has moved: the time starts anew. */
  touch(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  /** Waiting for our own side does not count. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#idle.abort(), this.#milliseconds);
  }
}

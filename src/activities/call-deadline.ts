/** The bound of one call: its caller's stop, or the end of its time. */

/** A timer above this would run out at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * To be disposed of when the call has ended. Node keeps what `AbortSignal.timeout` bounds until that time is over: with fifteen
 * minutes for a call, a worker would hold every call of the last fifteen minutes, the request and its activity among it.
 */
export class CallDeadline implements Disposable {
  readonly #caller: AbortSignal;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #stop = (): void => this.#controller.abort(this.#caller.reason);
  #isOver = false;

  constructor(caller: AbortSignal, ms: number) {
    this.#caller = caller;
    this.#timer = setTimeout(() => this.#end(), Math.min(ms, LONGEST_MS)).unref();
    if (caller.aborted) this.#stop();
    else caller.addEventListener("abort", this.#stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Its time ended before its caller stopped it. */
  get isOver(): boolean {
    return this.#isOver;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener("abort", this.#stop);
  }

  #end(): void {
    if (this.signal.aborted) return;
    this.#isOver = true;
    this.#controller.abort(new DOMException("The call took longer than it may.", "TimeoutError"));
  }
}

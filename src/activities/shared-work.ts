/** Work that several callers want at the same time, done once. */

interface Running<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/** Who aborts stops waiting; once nobody waits the work itself is aborted. */
export class SharedWork<T> {
  readonly #running = new Map<string, Running<T>>();

  /** @throws what the work throws, or the signal's reason at once. */
  async run(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const running = this.#running.get(key) ?? this.#start(key, work);
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal.reason);
    signal.addEventListener("abort", abort);
    running.waiting += 1;
    try {
      return await Promise.race([running.result, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", abort);
      running.waiting -= 1;
      if (running.waiting === 0) this.#end(key, running);
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<T>): Running<T> {
    const stop = new AbortController();
    const running: Running<T> = { result: work(stop.signal), stop, waiting: 0 };
    running.result.catch(() => undefined);
    this.#running.set(key, running);
    return running;
  }

  /** Whoever comes later starts anew. */
  #end(key: string, running: Running<T>): void {
    if (this.#running.get(key) === running) this.#running.delete(key);
    running.stop.abort();
  }
}

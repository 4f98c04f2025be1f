/** Ctrl-C, SIGTERM and a limit in time: the tour stops waiting, so that what it started can be ended in order. */
import { setTimeout as delay } from "node:timers/promises";
import { TourError } from "./tour-error.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** How long stopped work may take to notice it. */
const SETTLE_MS = 1_000;

export class StopSignal implements Disposable {
  readonly #controller = new AbortController();
  readonly #onSignal = (): void =>
    this.#controller.abort(new TourError("Stopped before the end; nothing is left running."));

  constructor() {
    for (const name of SIGNALS) process.on(name, this.#onSignal);
  }

  /** Resolves once a stop is asked for. */
  wait(): Promise<void> {
    const { signal } = this.#controller;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  }

  /** The work's own result. @throws TourError when a stop, or the end of the time, comes first. */
  async limit<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = this.#controller;
    const late = `The tour was not done after ${limitMs / 1_000} s and has been stopped.`;
    const timer = setTimeout(() => this.#controller.abort(new TourError(late)), limitMs);
    const working = work(signal);
    const stopped = this.wait().then(async (): Promise<never> => {
      await Promise.race([working.catch(() => undefined), delay(SETTLE_MS)]);
      throw signal.reason;
    });
    try {
      return await Promise.race([working, stopped]);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }

  [Symbol.dispose](): void {
    for (const name of SIGNALS) process.off(name, this.#onSignal);
  }
}

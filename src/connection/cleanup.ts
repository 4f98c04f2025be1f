/** What has been started and must be stopped, newest first. Node 22 has no AsyncDisposableStack, whose methods these are. */
export class Cleanup implements AsyncDisposable {
  #steps: (() => void | Promise<void>)[] = [];

  use<T extends AsyncDisposable>(resource: T): T {
    this.defer(() => Promise.resolve(resource[Symbol.asyncDispose]()));
    return resource;
  }

  defer(step: () => void | Promise<void>): void {
    this.#steps.push(step);
  }

  /** Hands everything over to a new one; this one has nothing left to stop. */
  move(): Cleanup {
    const moved = new Cleanup();
    moved.#steps = this.#steps;
    this.#steps = [];
    return moved;
  }

  /** Runs every step, also after one that failed. @throws what the first failing step threw. */
  async disposeAsync(): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }
}

import { setTimeout as delay, setImmediate } from "node:timers/promises";
import type { ActivityExecuteInput, Worker } from "@temporalio/worker";
import { describe, expect, it, vi } from "vitest";
import { ResultsInFlight } from "../../src/worker/results-in-flight.js";

const results = new ResultsInFlight();

function fakeWorker(): { readonly worker: Worker; readonly stopped: () => number } {
  let state = "RUNNING";
  const stop = vi.fn(() => {
    state = "STOPPING";
  });
  return {
    worker: { shutdown: stop, getState: () => state } as unknown as Worker,
    stopped: () => stop.mock.calls.length,
  };
}

/** An activity that ends now. */
async function activity(of: ResultsInFlight, work = async (): Promise<unknown> => "done"): Promise<unknown> {
  return of.execute({ args: [], headers: {} } as ActivityExecuteInput, work);
}

describe("a worker that is stopped", () => {
  it("WRK-320 stops at once where nothing has happened", () => {
    const { worker, stopped } = fakeWorker();
    new ResultsInFlight().stopAfter(worker);
    worker.shutdown();
    expect(stopped()).toBe(1);
  });

  it.each([
    ["ended", async (): Promise<unknown> => "done"],
    [
      "failed",
      async (): Promise<unknown> => {
        throw new Error("of the activity");
      },
    ],
  ])("WRK-320 stops a moment later, once, where an activity has just %s", async (_, work) => {
    const { worker, stopped } = fakeWorker();
    results.stopAfter(worker);
    await activity(results, work).catch(() => undefined);
    worker.shutdown();
    worker.shutdown();
    expect(stopped()).toBe(0);
    await expect.poll(stopped).toBe(1);
  });

  it("WRK-320 stops a moment later where an activity has told of its end and returns", async () => {
    const { worker, stopped } = fakeWorker();
    const telling = new ResultsInFlight();
    telling.stopAfter(worker);
    await activity(telling, async () => {
      worker.shutdown();
      await setImmediate();
    });
    await delay(60);
    expect(stopped()).toBe(0);
    await expect.poll(stopped).toBe(1);
  });

  it("WRK-320 waits no longer than a moment for what goes on", async () => {
    const { worker, stopped } = fakeWorker();
    const long = new ResultsInFlight();
    long.stopAfter(worker);
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = activity(long, () => promise);
    worker.shutdown();
    await expect.poll(stopped).toBe(1);
    resolve();
    await running;
  });

  it("WRK-320 stops in the end though activities go on ending", async () => {
    const { worker, stopped } = fakeWorker();
    const busy = new ResultsInFlight();
    busy.stopAfter(worker);
    await activity(busy);
    worker.shutdown();
    const ending = setInterval(() => void activity(busy), 20);
    try {
      await expect.poll(stopped, { timeout: 5_000 }).toBe(1);
    } finally {
      clearInterval(ending);
    }
  });

  it("WRK-320 hands on what its activities give and throw", async () => {
    expect(await activity(results)).toBe("done");
    await expect(activity(results, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  });
});

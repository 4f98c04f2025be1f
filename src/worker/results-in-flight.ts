/** What activities have just told the server, and the workflow tasks that it gives out for them. */
import { setTimeout as delay } from "node:timers/promises";
import type {
  ActivityExecuteInput,
  ActivityInboundCallsInterceptor,
  Next,
  Worker,
  WorkerInterceptors,
} from "@temporalio/worker";

/** From a result to the end of its workflow task: 15 ms, some 50 in a worker that has just started. */
const TASK_MS = 150;
/** Who waits for a turn hears of its end, and may stop the worker, before its activity has returned. */
const RETURN_MS = 25;
/** A worker that is always busy stops all the same. */
const LONGEST_MS = 500;

/**
 * Temporal's worker ends its polls the moment it is stopped, also one that the server is just answering: that task is lost, and
 * its workflow stands still until the server misses it, five seconds for a conversation. A program that stops its worker
 * when a turn is answered would meet that each time, since a turn is answered when the server has its result. So a stop waits
 * until no activity has ended for a moment.
 */
export class ResultsInFlight implements ActivityInboundCallsInterceptor {
  #running = 0;
  #lastEnd = Number.NEGATIVE_INFINITY;

  async execute(
    input: ActivityExecuteInput,
    next: Next<ActivityInboundCallsInterceptor, "execute">,
  ): Promise<unknown> {
    this.#running++;
    try {
      return await next(input);
    } finally {
      this.#running--;
      this.#lastEnd = performance.now();
    }
  }

  /** With those of the worker's interceptors that are given. */
  beside(activity: WorkerInterceptors["activity"] = []): NonNullable<WorkerInterceptors["activity"]> {
    return [...activity, () => ({ inbound: this })];
  }

  /** Whoever stops the worker, signals of the process included. */
  stopAfter(worker: Worker): void {
    const stop = worker.shutdown.bind(worker);
    let isStopping = false;
    worker.shutdown = () => {
      if (isStopping && worker.getState() === "RUNNING") return;
      const asked = performance.now();
      if (worker.getState() !== "RUNNING" || this.#remaining(asked) <= 0) return stop();
      isStopping = true;
      void this.#settled(asked).then(() => {
        if (worker.getState() === "RUNNING") stop();
      });
    };
  }

  async #settled(asked: number): Promise<void> {
    for (let rest = this.#remaining(asked); rest > 0; rest = this.#remaining(asked)) {
      const left = asked + LONGEST_MS - performance.now();
      if (left <= 0) return;
      await delay(Math.min(rest, left));
    }
  }

  /** What runs on is not waited for: another worker goes on with it, or it is done within the drain. */
  #remaining(asked: number): number {
    const afterEnd = this.#lastEnd + TASK_MS;
    const untilReturn = this.#running === 0 ? afterEnd : Math.max(afterEnd, asked + RETURN_MS);
    return untilReturn - performance.now();
  }
}

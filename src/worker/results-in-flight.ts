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
/** A worker that is always busy stops all the same. */
const LONGEST_MS = 500;

/**
 * Temporal's worker ends its polls the moment it is stopped, also one that the server is just answering: that task is lost, and
 * its workflow stands still until the server misses it, five seconds for a conversation. A program that stops its worker
 * when a turn is answered would meet that each time, since a turn is answered when the server has its result. So a stop waits
 * until no activity has ended for a moment.
 */
export class ResultsInFlight implements ActivityInboundCallsInterceptor {
  #lastEnd = Number.NEGATIVE_INFINITY;

  async execute(
    input: ActivityExecuteInput,
    next: Next<ActivityInboundCallsInterceptor, "execute">,
  ): Promise<unknown> {
    try {
      return await next(input);
    } finally {
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
      if (worker.getState() !== "RUNNING" || this.#remaining() <= 0) return stop();
      isStopping = true;
      void this.#settled().then(() => {
        if (worker.getState() === "RUNNING") stop();
      });
    };
  }

  async #settled(): Promise<void> {
    const deadline = performance.now() + LONGEST_MS;
    for (let rest = this.#remaining(); rest > 0; rest = this.#remaining()) {
      const left = deadline - performance.now();
      if (left <= 0) return;
      await delay(Math.min(rest, left));
    }
  }

  #remaining(): number {
    return this.#lastEnd + TASK_MS - performance.now();
  }
}

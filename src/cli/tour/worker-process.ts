/** One of the tour's workers: a process that loads while the server starts, works on order, and ends with the tour. */
import { createWorker } from "../../worker/create-worker.js";
import { takeOrder } from "./take-order.js";
import type { WorkerOrder } from "./tour-message.js";

takeOrder(async ({ stack, env }: WorkerOrder, ready) => {
  // The channel closes when the tour is over, or dead: nothing is left to drain for.
  process.once("disconnect", () => process.exit(0));
  const worker = await createWorker({ ...stack, env });
  const ended = worker.run();
  ready();
  await ended;
});

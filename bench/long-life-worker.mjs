// A worker in a process of its own. Says when it is ready, and how much memory it holds, each thread apart, whenever it is asked.
import { createWorker } from "../dist/worker/index.js";

const threads = [];
process.on("worker", (thread) => {
  threads.push(thread);
  thread.once("exit", () => threads.splice(threads.indexOf(thread), 1));
});
const worker = await createWorker({});
// The threads of workflows are there by now; those for large work start when there is some.
const forWorkflows = new Set(threads);
const ended = worker.run();
process.on("message", async (asked) => {
  if (asked === "end") return worker.shutdown();
  process.send?.(await memory());
});
process.send?.("ready");
await ended;
process.disconnect?.();

/** Resident as it is; of each isolate what its heap has taken, and what lives in it after a collection of all garbage. */
async function memory() {
  const { rss, heapTotal } = process.memoryUsage();
  const taken = await Promise.all(threads.map((thread) => thread.getHeapStatistics()));
  globalThis.gc();
  const main = { name: "main", taken: heapTotal, live: process.memoryUsage().heapUsed };
  const others = threads.map(async (thread, at) => {
    const name = forWorkflows.has(thread) ? "workflows" : "large work";
    return { name, taken: taken[at].total_heap_size, live: await liveBytes(thread) };
  });
  return { rss, isolates: [main, ...(await Promise.all(others))] };
}

/** A snapshot begins with a full collection in the thread; what it says is passed over. */
async function liveBytes(thread) {
  for await (const _chunk of await thread.getHeapSnapshot());
  return (await thread.getHeapStatistics()).used_heap_size;
}

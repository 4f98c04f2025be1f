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
  process.send?.(await (asked === "resident" ? resident() : heaps()));
});
process.send?.("ready");
await ended;
process.disconnect?.();

/** As it is, with the garbage in it. Before any snapshot, which takes memory of its own. */
async function resident() {
  const { rss, heapTotal, arrayBuffers } = process.memoryUsage();
  const others = await Promise.all(threads.map((thread) => thread.getHeapStatistics()));
  const heapsOf = others.reduce((sum, one) => sum + one.total_heap_size, heapTotal);
  return {
    rss,
    heaps: heapsOf,
    buffers: others.reduce((sum, one) => sum + one.external_memory, arrayBuffers),
  };
}

/** What lives in each isolate after a collection of all garbage. */
async function heaps() {
  globalThis.gc();
  const main = { name: "main", live: process.memoryUsage().heapUsed };
  const others = threads.map(async (thread) => {
    const name = forWorkflows.has(thread) ? "workflows" : "large work";
    return { name, live: await liveBytes(thread) };
  });
  return { isolates: [main, ...(await Promise.all(others))] };
}

/** A snapshot begins with a full collection in the thread; what it says is passed over. */
async function liveBytes(thread) {
  for await (const _chunk of await thread.getHeapSnapshot());
  return (await thread.getHeapStatistics()).used_heap_size;
}

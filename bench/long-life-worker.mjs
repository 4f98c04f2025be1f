// A worker in a process of its own. Says when it is ready, and how much memory it holds whenever it is asked.
import { createWorker } from "../dist/worker/index.js";

const worker = await createWorker({});
const ended = worker.run();
process.on("message", (asked) => {
  if (asked === "end") return worker.shutdown();
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ rss, heapUsed });
});
process.send?.("ready");
await ended;
process.disconnect?.();

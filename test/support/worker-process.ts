// A worker of the built package, as a process of its own: found by the `.holdfast/` of the folder it is started in.
import { createWorker } from "holdfast/worker";

const { HOLDFAST_TEST_BOUNDS: bounds, HOLDFAST_TEST_STOP_AT: stopAt } = process.env;
const module = process.env.HOLDFAST_TEST_TOOLS;
const { tools } = module === undefined ? { tools: [] } : await import(module);
const worker = await createWorker({
  tools,
  ...(bounds === undefined ? {} : { bounds: JSON.parse(bounds) }),
  // Stands still there, beating, until it is killed.
  onCallPoint: (point) => {
    if (point !== stopAt) return undefined;
    console.log(`at ${point}`);
    return new Promise(() => undefined);
  },
});
const ended = worker.run();
console.log("ready");
await ended;

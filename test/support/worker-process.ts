// A worker of the built package, as a process of its own: found by the `.holdfast/` of the folder it is started in.
import { createWorker } from "holdfast/worker";

const bounds = process.env.HOLDFAST_TEST_BOUNDS;
const worker = await createWorker(bounds === undefined ? {} : { bounds: JSON.parse(bounds) });
const ended = worker.run();
console.log("ready");
await ended;

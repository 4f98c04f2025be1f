// A worker of the built package, as a process of its own: found by the `.holdfast/` of the folder it is started in.
import { appendFileSync } from "node:fs";
import { Context } from "@temporalio/activity";
import { createWorker } from "holdfast/worker";

const { HOLDFAST_TEST_BOUNDS: bounds, HOLDFAST_TEST_STOP_AT: stopAt } = process.env;
/** `POINT:N`: kills itself when a call comes to that point for the Nth time. */
const [dieAt, dieOn] = process.env.HOLDFAST_TEST_DIE_AT?.split(":") ?? [];
/** A file that gets a line of JSON for each point that a call comes to. */
const trace = process.env.HOLDFAST_TEST_TRACE;
let passes = 0;
const module = process.env.HOLDFAST_TEST_TOOLS;
const { tools } = module === undefined ? { tools: [] } : await import(module);
const worker = await createWorker({
  tools,
  ...(bounds === undefined ? {} : { bounds: JSON.parse(bounds) }),
  // Stands still there, beating, until it is killed.
  onCallPoint: (point) => {
    note(point);
    if (point === dieAt && ++passes === Number(dieOn)) process.kill(process.pid, "SIGKILL");
    if (point !== stopAt) return undefined;
    console.log(`at ${point}`);
    return new Promise(() => undefined);
  },
});
const ended = worker.run();
console.log("ready");
await ended;

function note(point: string): void {
  if (trace === undefined) return;
  const { workflowExecution, activityId, attempt } = Context.current().info;
  const { workflowId: conversation, runId: run } = workflowExecution ?? {};
  const line = { at: Date.now(), pid: process.pid, point, conversation, run, activity: activityId, attempt };
  appendFileSync(trace, `${JSON.stringify(line)}\n`);
}

/** The code of the thread that a long check of an answer has to itself. */
import { parentPort, workerData } from "node:worker_threads";
import type { CheckOutcome, CheckTask } from "./check-in-thread.js";
import { OutputSchemaCheck } from "./output-schema-check.js";

parentPort?.postMessage(outcomeOf(workerData as CheckTask));

function outcomeOf({ schema, value, ms }: CheckTask): CheckOutcome {
  try {
    return { faults: new OutputSchemaCheck(schema).faults(value, ms) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

/** A check of an answer that takes longer than the loop that beats may stand still. */
import { Worker } from "node:worker_threads";
import pLimit from "p-limit";
import { builtFile } from "../../connection/built-file.js";
import type { JsonObject, JsonValue } from "../../core/json.js";

export interface CheckTask {
  readonly schema: JsonObject;
  readonly value: JsonValue;
  /** After how long it is cut off. */
  readonly ms: number;
}

export type CheckOutcome = { readonly faults: readonly string[] } | { readonly failed: string };

/** Such checks wait for each other: each has a core to itself while it lasts. */
const THREADS = 2;
const MEMORY_MB = 512;

const limit = pLimit(THREADS);

/** What `OutputSchemaCheck.faults` returns. @throws an Error that says in a few words why nobody knows. */
export async function checkInThread(task: CheckTask): Promise<readonly string[]> {
  const outcome = await limit(() => run(task));
  if ("faults" in outcome) return outcome.faults;
  throw new Error(outcome.failed);
}

async function run(task: CheckTask): Promise<CheckOutcome> {
  const thread = new Worker(builtFile("activities/output/check-thread.js"), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  try {
    return await new Promise((resolve, reject) => {
      thread.once("message", resolve);
      thread.once("error", reject);
      thread.once("exit", () => reject(new Error("its thread ended")));
    });
  } finally {
    await thread.terminate();
  }
}

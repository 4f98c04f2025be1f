/** Threads that run the sources as they are, with providers that nothing real is behind. */
import { fileURLToPath } from "node:url";
import { WorkThreads, type WorkThreadsOptions } from "../../src/activities/threads/work-threads.js";

const file = fileURLToPath(new URL("../../src/activities/threads/work-thread.ts", import.meta.url));
const hooks = new URL("typescript-hooks.mjs", import.meta.url).href;

export function sourceThreads(
  options: Pick<WorkThreadsOptions, "providers"> & Partial<WorkThreadsOptions>,
): WorkThreads {
  return new WorkThreads({
    keyRemedy: undefined,
    source: { file, execArgv: ["--import", hooks] },
    ...options,
  });
}

/** Temporal's worker, without a watchman over each step of a workflow, its workflows' thread started ahead of it. */
import { readFile } from "node:fs/promises";
import { type Logger, Worker, type WorkerOptions } from "@temporalio/worker";
import type { CompiledWorkerOptions } from "@temporalio/worker/lib/worker-options.js";
import type { WorkflowCreator } from "@temporalio/worker/lib/workflow/interface.js";
import type { WorkflowBundleWithSourceMapAndFilename } from "@temporalio/worker/lib/workflow/workflow-worker-thread/input.js";

export interface WorkflowsOptions {
  /** Of the workflow bundle, absolute. */
  readonly codePath: string;
  /** Names of the activities that the worker has. */
  readonly activities: readonly string[];
  readonly logger: Logger;
}

/** Where workflows run: a thread with the bundle in it. */
export interface StartedWorkflows extends AsyncDisposable {
  readonly bundle: Promise<WorkflowBundleWithSourceMapAndFilename>;
  readonly creator: Promise<WorkflowCreator>;
}

/**
 * Temporal's own allows each call into the sandbox five seconds, and Node starts and ends a thread to watch each: a quarter of a
 * millisecond, ten times a turn (decision 0034). The only workflow here is the conversation, and a long one needs the time it needs.
 */
export class UnwatchedWorker extends Worker {
  /** Takes a third of a second, and needs no server: it goes on while a connection is made. */
  static startWorkflows({ codePath, activities, logger }: WorkflowsOptions): StartedWorkflows {
    const options = {
      activities: new Map(activities.map((name) => [name, undefined])),
      debugMode: false,
      reuseV8Context: true,
      workflowThreadPoolSize: 1,
      patchActivationCallback: undefined,
      // Undefined is what Node's `vm` takes for no limit; the library's type knows limits alone.
      isolateExecutionTimeoutMs: undefined,
    } as unknown as CompiledWorkerOptions;
    const bundle = readBundle(codePath);
    const creator = bundle.then((read) => Worker.createWorkflowCreator(read, options, logger));
    // Whoever waits for it hears of its failure.
    creator.catch(() => undefined);
    const end = (started: WorkflowCreator): Promise<void> => started.destroy();
    return { bundle, creator, [Symbol.asyncDispose]: () => creator.then(end, () => undefined) };
  }

  /** The worker ends what it is given, but where it cannot be made. */
  static createWith({ bundle, creator }: StartedWorkflows, options: WorkerOptions): Promise<Worker> {
    class StartedWorker extends UnwatchedWorker {
      protected static override getOrCreateBundle(): typeof bundle {
        return bundle;
      }
      protected static override createWorkflowCreator(): typeof creator {
        return creator;
      }
    }
    return StartedWorker.create(options);
  }
}

const SOURCE_MAP = "//# sourceMappingURL=data:";
const BASE64 = ";base64,";

/**
 * As Temporal's worker reads a bundle, which then runs it once in the main thread, for debuggers.
 *
 * @throws what reading it fails with, and SyntaxError for a bundle without a source map.
 */
async function readBundle(codePath: string): Promise<WorkflowBundleWithSourceMapAndFilename> {
  const code = await readFile(codePath, "utf8");
  const from = code.indexOf(BASE64, code.lastIndexOf(SOURCE_MAP)) + BASE64.length;
  const sourceMap = JSON.parse(Buffer.from(code.slice(from), "base64").toString("utf8"));
  return { code, sourceMap, filename: codePath };
}

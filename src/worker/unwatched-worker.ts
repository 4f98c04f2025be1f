/** Temporal's worker, without a watchman over each step of a workflow, its workflows' thread started ahead of it. */
import { readFile } from "node:fs/promises";
import { Worker as Thread } from "node:worker_threads";
import { type Logger, Worker, type WorkerOptions } from "@temporalio/worker";
import type { WorkflowCreator } from "@temporalio/worker/lib/workflow/interface.js";
import {
  ThreadedVMWorkflowCreator,
  WorkerThreadClient,
} from "@temporalio/worker/lib/workflow/threaded-vm.js";
import type { Init } from "@temporalio/worker/lib/workflow/workflow-worker-thread/input.js";
import { SparingWorkflowCreator } from "./sparing-workflows.js";

type Bundle = Init["workflowBundle"];

export interface WorkflowsOptions {
  /** Of the workflow bundle, absolute. */
  readonly codePath: string;
  /** Of the module that the thread runs, absolute. */
  readonly threadPath: string;
  /** Names of the activities that the worker has. */
  readonly activities: readonly string[];
  readonly logger: Logger;
}

/** Where workflows run: a thread with the bundle in it. */
export interface StartedWorkflows extends AsyncDisposable {
  readonly bundle: Promise<Bundle>;
  readonly creator: Promise<WorkflowCreator>;
}

/**
 * Temporal's own allows each call into the sandbox five seconds, and Node starts and ends a thread to watch each: a quarter of a
 * millisecond, ten times a turn (decision 0034). The only workflow here is the conversation, and a long one needs the time it needs.
 */
export class UnwatchedWorker extends Worker {
  /** Takes a third of a second, and needs no server: it goes on while a connection is made. */
  static startWorkflows({ codePath, threadPath, activities, logger }: WorkflowsOptions): StartedWorkflows {
    const thread = new WorkerThreadClient(new Thread(threadPath), logger);
    const bundle = readBundle(codePath);
    const creator = bundle.then((read) => sandboxIn(thread, read, activities));
    // Whoever waits for it hears of its failure.
    creator.catch(() => undefined);
    const end = (): Promise<void> => thread.destroy().catch(() => undefined);
    return { bundle, creator, [Symbol.asyncDispose]: () => creator.then(end, end) };
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

/** As Temporal's worker makes it, but for the limit of time: undefined is what Node's `vm` takes for none; the library's type knows limits alone. */
async function sandboxIn(
  thread: WorkerThreadClient,
  workflowBundle: Bundle,
  activities: readonly string[],
): Promise<WorkflowCreator> {
  await thread.send({
    type: "init",
    workflowBundle,
    isolateExecutionTimeoutMs: undefined,
    reuseV8Context: true,
    registeredActivityNames: new Set(activities),
    hasPatchActivationCallback: false,
  } as unknown as Init);
  return new SparingWorkflowCreator(new ThreadedVMWorkflowCreator([thread]));
}

const SOURCE_MAP = "//# sourceMappingURL=data:";
const BASE64 = ";base64,";

/**
 * As Temporal's worker reads a bundle, which then runs it once in the main thread, for debuggers.
 *
 * @throws what reading it fails with, and SyntaxError for a bundle without a source map.
 */
async function readBundle(codePath: string): Promise<Bundle> {
  const code = await readFile(codePath, "utf8");
  const from = code.indexOf(BASE64, code.lastIndexOf(SOURCE_MAP)) + BASE64.length;
  const sourceMap = JSON.parse(Buffer.from(code.slice(from), "base64").toString("utf8"));
  return { code, sourceMap, filename: codePath };
}

/** The thread of a worker's workflows, started before the worker is there. */
import type { Logger } from "@temporalio/common";
import { createActivities } from "../activities/create-activities.js";
import type { ActivityDependencies } from "../activities/dependencies.js";
import { builtFile } from "../connection/built-file.js";
import { preloadProvider } from "../providers/preload-provider.js";
import { type StartedWorkflows, UnwatchedWorker } from "./unwatched-worker.js";

/** While the thread starts, a third of a second, this one has little to do: the provider is loaded meanwhile. */
export function startWorkflows(dependencies: ActivityDependencies, logger: Logger): StartedWorkflows {
  const preload = (): void => void preloadProvider(dependencies.providers, dependencies.providerSettings);
  process.once("worker", preload);
  const started = UnwatchedWorker.startWorkflows({
    codePath: builtFile("workflow-bundle.js"),
    threadPath: builtFile("worker/workflow-thread.js"),
    activities: Object.keys(createActivities(dependencies)),
    logger,
  });
  const forget = (): void => void process.off("worker", preload);
  started.creator.then(forget, forget);
  return started;
}

/** Temporal's worker versioning: off unless the environment names a deployment and a build. */
import type { WorkerOptions } from "@temporalio/worker";
import { UsageError } from "../core/errors/errors.js";

/** The names that Temporal's own worker controller sets. */
const DEPLOYMENT = "TEMPORAL_DEPLOYMENT_NAME";
const BUILD = "TEMPORAL_WORKER_BUILD_ID";

/**
 * Conversations follow the current version of the deployment, from one workflow task to the next and in every new run: one
 * that was pinned to a build would hang once the build is gone.
 *
 * @throws UsageError when only one of the two is set
 */
export function deploymentVersion(env: NodeJS.ProcessEnv): Pick<WorkerOptions, "workerDeploymentOptions"> {
  const deploymentName = env[DEPLOYMENT] || undefined;
  const buildId = env[BUILD] || undefined;
  if (deploymentName === undefined && buildId === undefined) return {};
  if (deploymentName === undefined || buildId === undefined) {
    const [set, missing] = buildId === undefined ? [DEPLOYMENT, BUILD] : [BUILD, DEPLOYMENT];
    throw new UsageError(`${set} is set and ${missing} is not: worker versioning needs both, or neither.`);
  }
  return {
    workerDeploymentOptions: {
      version: { deploymentName, buildId },
      useWorkerVersioning: true,
      defaultVersioningBehavior: "AUTO_UPGRADE",
    },
  };
}

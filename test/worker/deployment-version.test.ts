import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/core/errors/errors.js";
import { deploymentVersion } from "../../src/worker/deployment-version.js";

describe("worker versioning", () => {
  it("ACT-150 is off unless the environment names a deployment and a build; then conversations follow the current one", () => {
    expect(deploymentVersion({})).toEqual({});
    expect(deploymentVersion({ TEMPORAL_DEPLOYMENT_NAME: "", TEMPORAL_WORKER_BUILD_ID: "" })).toEqual({});
    const env = { TEMPORAL_DEPLOYMENT_NAME: "chats", TEMPORAL_WORKER_BUILD_ID: "2" };
    expect(deploymentVersion(env)).toEqual({
      workerDeploymentOptions: {
        version: { deploymentName: "chats", buildId: "2" },
        useWorkerVersioning: true,
        defaultVersioningBehavior: "AUTO_UPGRADE",
      },
    });
  });

  it("ACT-151 refuses one of the two without the other", () => {
    expect(() => deploymentVersion({ TEMPORAL_WORKER_BUILD_ID: "2" })).toThrow(UsageError);
    expect(() => deploymentVersion({ TEMPORAL_DEPLOYMENT_NAME: "chats" })).toThrow(
      "TEMPORAL_DEPLOYMENT_NAME is set and TEMPORAL_WORKER_BUILD_ID is not",
    );
  });
});

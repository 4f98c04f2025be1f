import { Worker } from "@temporalio/worker";
import type { CompiledWorkerOptions } from "@temporalio/worker/lib/worker-options.js";
import { describe, expect, it, vi } from "vitest";
import { UnwatchedWorker } from "../../src/worker/unwatched-worker.js";

const EMPTY_BUNDLE = `\n//# sourceMappingURL=data:application/json;base64,${btoa('{"version":3,"file":"empty.js","sources":[]}')}`;

describe("a worker without a watchman", () => {
  it("WRK-330 has its sandbox made with all that Temporal's has but the limit of time", async () => {
    // As far as this it goes without a server.
    const seen: CompiledWorkerOptions[] = [];
    const creator = vi
      .spyOn(
        Worker as unknown as { createWorkflowCreator: (...given: unknown[]) => Promise<never> },
        "createWorkflowCreator",
      )
      .mockImplementation((_bundle, options) => {
        seen.push(options as CompiledWorkerOptions);
        throw new Error("far enough");
      });
    const options = { taskQueue: "queue", workflowBundle: { code: EMPTY_BUNDLE } };
    try {
      await expect(UnwatchedWorker.create(options)).rejects.toThrow("far enough");
      await expect(Worker.create(options)).rejects.toThrow("far enough");
    } finally {
      creator.mockRestore();
    }
    const [unwatched, watched] = seen;
    expect(watched?.isolateExecutionTimeoutMs).toBe(5_000);
    expect(unwatched?.isolateExecutionTimeoutMs).toBeUndefined();
    expect(Object.keys(unwatched ?? {}).toSorted()).toEqual(Object.keys(watched ?? {}).toSorted());
  });
});

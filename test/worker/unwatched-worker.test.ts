import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Runtime, Worker, type WorkerOptions } from "@temporalio/worker";
import { WorkerThreadClient } from "@temporalio/worker/lib/workflow/threaded-vm.js";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { builtFile } from "../../src/connection/built-file.js";
import { UnwatchedWorker } from "../../src/worker/unwatched-worker.js";

const EMPTY_BUNDLE = `\n//# sourceMappingURL=data:application/json;base64,${btoa('{"version":3,"file":"empty.js","sources":[]}')}`;
type Given = Parameters<WorkerThreadClient["send"]>[0];

let folder: string;
let codePath: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-bundle-"));
  codePath = join(folder, "bundle.js");
  await writeFile(codePath, EMPTY_BUNDLE);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => void vi.restoreAllMocks());

const activities = { callModel: async () => undefined, callTool: async () => undefined };

function startWorkflows(path = codePath) {
  const { logger } = Runtime.instance();
  const threadPath = builtFile("worker/workflow-thread.js");
  return UnwatchedWorker.startWorkflows({
    codePath: path,
    threadPath,
    activities: Object.keys(activities),
    logger,
  });
}

/** What threads are told from now on; the first that each is told fails. */
function threadsThatFail(): readonly Given[] {
  const told: Given[] = [];
  vi.spyOn(WorkerThreadClient.prototype, "send").mockImplementation(async (given) => {
    told.push(given);
    throw new Error("far enough");
  });
  return told;
}

describe("a worker without a watchman", () => {
  it("WRK-330 has its sandbox made with all that Temporal's has but the limit of time", async () => {
    const told = threadsThatFail();
    const options: WorkerOptions = { taskQueue: "queue", workflowBundle: { codePath }, activities };
    await expect(UnwatchedWorker.createWith(startWorkflows(), options)).rejects.toThrow("far enough");
    await expect(Worker.create(options)).rejects.toThrow("far enough");
    const [unwatched, watched] = told;
    expect(watched).toMatchObject({ type: "init", isolateExecutionTimeoutMs: 5_000 });
    expect(unwatched).toEqual({ ...watched, isolateExecutionTimeoutMs: undefined });
  });
});

describe("the thread of the workflows", () => {
  it("WRK-350 is started once, ahead of the worker that takes it, and ends when it is no longer wanted", async () => {
    const sent = vi.spyOn(WorkerThreadClient.prototype, "send").mockResolvedValue(undefined as never);
    const workflows = startWorkflows();
    await workflows.creator;
    // The queue's name is refused only where the thread is there already.
    const options = { taskQueue: "__temporal_mine", workflowBundle: { codePath }, activities };
    await expect(UnwatchedWorker.createWith(workflows, options)).rejects.toThrow("__temporal_mine");
    await workflows[Symbol.asyncDispose]();
    expect(sent.mock.calls.map(([{ type }]) => type)).toEqual(["init", "destroy"]);
  });

  it("WRK-351 that cannot be started is told to whoever waits for it, and to nobody else", async () => {
    threadsThatFail();
    const workflows = startWorkflows();
    await workflows[Symbol.asyncDispose]();
    await expect(workflows.creator).rejects.toThrow("far enough");
    const lost = startWorkflows(join(folder, "none.js"));
    await expect(lost.creator).rejects.toThrow("ENOENT");
    await lost[Symbol.asyncDispose]();
  });
});

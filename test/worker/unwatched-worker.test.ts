import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Runtime, Worker, type WorkerOptions } from "@temporalio/worker";
import { ThreadedVMWorkflowCreator } from "@temporalio/worker/lib/workflow/threaded-vm.js";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { UnwatchedWorker } from "../../src/worker/unwatched-worker.js";

const EMPTY_BUNDLE = `\n//# sourceMappingURL=data:application/json;base64,${btoa('{"version":3,"file":"empty.js","sources":[]}')}`;
type Given = Parameters<typeof ThreadedVMWorkflowCreator.create>[0];

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
  return UnwatchedWorker.startWorkflows({ codePath: path, activities: Object.keys(activities), logger });
}

/** As far as this it goes without a server. */
function threadsThatFail(): readonly Given[] {
  const seen: Given[] = [];
  vi.spyOn(ThreadedVMWorkflowCreator, "create").mockImplementation((given) => {
    seen.push(given);
    throw new Error("far enough");
  });
  return seen;
}

describe("a worker without a watchman", () => {
  it("WRK-330 has its sandbox made with all that Temporal's has but the limit of time", async () => {
    const seen = threadsThatFail();
    const options: WorkerOptions = { taskQueue: "queue", workflowBundle: { codePath }, activities };
    await expect(UnwatchedWorker.createWith(startWorkflows(), options)).rejects.toThrow("far enough");
    await expect(Worker.create(options)).rejects.toThrow("far enough");
    const [unwatched, watched] = seen;
    expect(watched?.isolateExecutionTimeoutMs).toBe(5_000);
    expect(unwatched).toEqual({
      ...watched,
      isolateExecutionTimeoutMs: undefined,
      logger: expect.anything(),
    });
  });
});

describe("the thread of the workflows", () => {
  it("WRK-350 is started once, ahead of the worker that takes it", async () => {
    const started = { destroy: vi.fn(async () => undefined) } as unknown as ThreadedVMWorkflowCreator;
    const create = vi.spyOn(ThreadedVMWorkflowCreator, "create").mockResolvedValue(started);
    const workflows = startWorkflows();
    expect(await workflows.creator).toBe(started);
    // The queue's name is refused only where the thread is there already.
    const options = { taskQueue: "__temporal_mine", workflowBundle: { codePath }, activities };
    await expect(UnwatchedWorker.createWith(workflows, options)).rejects.toThrow("__temporal_mine");
    expect(create).toHaveBeenCalledOnce();
    await workflows[Symbol.asyncDispose]();
    expect(started.destroy).toHaveBeenCalledOnce();
  });

  it("WRK-351 that cannot be started is told to whoever waits for it, and to nobody else", async () => {
    threadsThatFail();
    const workflows = startWorkflows();
    await workflows[Symbol.asyncDispose]();
    await expect(workflows.creator).rejects.toThrow("far enough");
    const lost = startWorkflows(join(folder, "none.js"));
    await expect(lost.creator).rejects.toThrow("ENOENT");
  });
});

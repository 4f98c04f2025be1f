import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkerOptions } from "@temporalio/worker";
import { ReusableVMWorkflowCreator } from "@temporalio/worker/lib/workflow/reusable-vm.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtFile } from "../../src/connection/built-file.js";
import { ConversationWorker } from "../../src/worker/conversation-worker.js";
import { WorkflowSandbox } from "../../src/worker/workflow-sandbox.js";

const codePath = builtFile("workflow-bundle.js");
const activities = { callModel: async () => undefined, callTool: async () => undefined };
const startSandbox = (path = codePath) => WorkflowSandbox.start(path, Object.keys(activities));
const listening = (): number => process.listenerCount("unhandledRejection");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-bundle-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the sandbox of a worker of conversations", () => {
  it("WRK-330 has all that Temporal's has but the limit of time", async () => {
    const before = Error.prepareStackTrace;
    const sandbox = startSandbox();
    const ours = await sandbox.loaded;
    const names = new Set(Object.keys(activities));
    const theirs = await ReusableVMWorkflowCreator.create(ours.bundle, 5_000, names);
    Error.prepareStackTrace = before;
    const parts = ({ _context, pristineObj, workflowBundle, ...rest }: Record<string, unknown>) => ({
      globals: Object.keys(pristineObj as object),
      ...rest,
    });
    const [unwatched, watched] = [ours, theirs].map((made) => parts({ ...made }));
    expect(watched).toMatchObject({ isolateExecutionTimeoutMs: 5_000, registeredActivityNames: names });
    expect(unwatched).toEqual({ ...watched, isolateExecutionTimeoutMs: undefined });
    await theirs.destroy();
    await sandbox.end();
  });

  it("WRK-350 is loaded once, ahead of the worker that takes it, and ends when it is no longer wanted", async () => {
    const before = listening();
    const sandbox = startSandbox();
    const loaded = await sandbox.loaded;
    expect(listening()).toBe(before + 1);
    const destroyed: unknown[] = [];
    const destroy = loaded.destroy.bind(loaded);
    loaded.destroy = async () => void destroyed.push(await destroy());
    // The queue's name is refused only where the sandbox is there already.
    const options: WorkerOptions = { taskQueue: "__temporal_mine", workflowBundle: { codePath }, activities };
    await expect(ConversationWorker.createWith(sandbox.loaded, options)).rejects.toThrow("__temporal_mine");
    await sandbox.end();
    expect(destroyed).toHaveLength(1);
    expect(listening()).toBe(before);
  });

  it("WRK-351 that cannot be loaded is told to whoever waits for it, and to nobody else", async () => {
    const before = listening();
    const broken = join(folder, "broken.js");
    await writeFile(broken, "throw new Error('far enough');");
    const failing = startSandbox(broken);
    await failing.end();
    await expect(failing.loaded).rejects.toThrow("far enough");
    const lost = startSandbox(join(folder, "none.js"));
    await expect(lost.loaded).rejects.toThrow("ENOENT");
    await lost.end();
    expect(listening()).toBe(before);
  });
});

import type { LogMetadata } from "@temporalio/common";
import { WorkerThreadClient } from "@temporalio/worker/lib/workflow/threaded-vm.js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Agent } from "../../src/core/agent.js";
import { createWorker, type HoldfastWorker } from "../../src/worker/create-worker.js";
import { fileStack } from "../support/file-stack.js";

const { stack, conversations } = await fileStack({ workers: 0 });
const said: { readonly message: string; readonly meta: LogMetadata | undefined }[] = [];
const note = (message: string, meta?: LogMetadata): void => void said.push({ message, meta });
const logger = {
  log: (_level: string, message: string, meta?: LogMetadata) => note(message, meta),
  trace() {},
  debug: note,
  info: note,
  warn: note,
  error: note,
};

let worker: HoldfastWorker;
let ended: Promise<void>;

beforeAll(async () => {
  worker = await createWorker({ cwd: stack.folder, env: stack.stack.workerEnv, logger });
  ended = worker.run();
});
afterAll(async () => {
  worker.shutdown();
  await ended;
});

describe("a worker of conversations", () => {
  it("WRK-400 asks its workflows' thread only for what they have said, and misses nothing of it", async () => {
    const sent = vi.spyOn(WorkerThreadClient.prototype, "send");
    const session = await conversations.start(new Agent({ model: "claude-haiku-4-5" }));
    await session.run("First");
    await session.run("Second");
    await session.rebind("claude-sonnet-5");
    await session.run("Third");
    const typesSent = sent.mock.calls.map(([{ type }]) => type);
    const timesSent = (type: string) => typesSent.filter((other) => other === type).length;
    // Its start, which the SDK notes, and the rebind.
    expect(timesSent("extract-sink-calls")).toBe(2);
    expect(timesSent("activate-workflow")).toBeGreaterThan(6);
    const ofWorkflow = said.filter(
      ({ meta }) => meta?.workflowId === session.id && meta.activityId === undefined,
    );
    expect(ofWorkflow.map(({ message }) => message)).toEqual([
      "Workflow started",
      "The conversation continues on claude-sonnet-5.",
    ]);
  });
});

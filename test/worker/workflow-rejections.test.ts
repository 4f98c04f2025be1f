import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createContext, runInContext } from "node:vm";
import {
  type ReusableVMWorkflow,
  ReusableVMWorkflowCreator,
} from "@temporalio/worker/lib/workflow/reusable-vm.js";
import { describe, expect, it, vi } from "vitest";
import { hearRejections } from "../../src/worker/workflow-rejections.js";

const ROOT = join(import.meta.dirname, "../..");
const HOOKS = join(ROOT, "test/support/typescript-hooks.mjs");
const MODULE = pathToFileURL(join(ROOT, "src/worker/workflow-rejections.ts")).href;

/** A program with a sandbox, and a rejection of its own. */
function programThat(does: string) {
  const program = `import { hearRejections } from ${JSON.stringify(MODULE)}; hearRejections(); ${does}`;
  return spawnSync(process.execPath, ["--import", HOOKS, "--input-type=module", "-e", program], {
    cwd: ROOT,
    encoding: "utf8",
  });
}

describe("what nobody caught", () => {
  it("WRK-421 in a workflow fails the task of that workflow", async () => {
    const failed = vi.fn<(error: unknown) => void>();
    const workflows = ReusableVMWorkflowCreator.workflowByRunId;
    workflows.set("run-1", { setUnhandledRejection: failed } as unknown as ReusableVMWorkflow);
    const forget = [hearRejections(), hearRejections()];
    // Vitest reports what nobody caught as an error of its own.
    const others = process.listeners("unhandledRejection").slice(0, -1);
    for (const other of others) process.off("unhandledRejection", other);
    const context = createContext({ __TEMPORAL_ACTIVATOR__: { info: { runId: "run-1" } } });
    try {
      runInContext("void Promise.reject(new Error('of the workflow'))", context);
      await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(1));
    } finally {
      for (const other of others) process.on("unhandledRejection", other);
      for (const end of forget) end();
      workflows.delete("run-1");
    }
    expect(failed.mock.calls[0]?.[0]).toMatchObject({
      name: "UnhandledRejectionError",
      message: "Unhandled Promise rejection: Error: of the workflow",
    });
  });

  it("WRK-422 in the program ends it, as without a worker", () => {
    const { status, stderr } = programThat(
      "setTimeout(() => console.error('still there'), 500); void Promise.reject(new Error('of the program'));",
    );
    expect(stderr).toContain("Error: of the program");
    expect(stderr).not.toContain("still there");
    expect(status).toBe(1);
  });

  it("WRK-422 in a program that listens is that program's", () => {
    const { status, stdout } = programThat(
      "process.on('unhandledRejection', ({ message }) => console.log(message)); void Promise.reject(new Error('heard'));",
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: "heard\n" });
  });
});

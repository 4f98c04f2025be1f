import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { startTemporalServer } from "../../suite/temporal-server.mjs";

export default {
  title: "Temporal, AI SDK plug-in",
  about:
    "`generateText` in a workflow, each call an activity of Temporal's own plug-in (public preview), whose time limit is 10 minutes without a heartbeat unless it is given another, as docs.temporal.io/develop/typescript/integrations/ai-sdk has it.",
  packages: [
    "@temporalio/ai-sdk",
    "@temporalio/client",
    "@temporalio/worker",
    "@temporalio/workflow",
    "@temporalio/workflow-streams",
    "ai",
    "@ai-sdk/openai",
  ],
  growth: "quadratic",
  longest: { turns: 260, reason: "the server ends a run whose history passes 50 MiB" },
  async bundle(folder) {
    const path = join(folder, "workflow-bundle.js");
    const program = join(import.meta.dirname, "build-bundle.mjs");
    await promisify(execFile)(process.execPath, [program, path], { maxBuffer: 2 ** 26 });
    return path;
  },
  async startServices({ folder }) {
    const server = await startTemporalServer({ folder });
    return { ...server, env: { ...server.env, BENCH_BUNDLE: await this.bundle(folder) } };
  },
};

import { join } from "node:path";
import { buildBundle } from "../../suite/build-bundle.mjs";
import { startTemporalServer } from "../../suite/temporal-server.mjs";

export default {
  title: "Temporal, minimal workflow",
  about:
    "The least that keeps a conversation on Temporal: an update awaits one activity, which gets the new message only and holds the transcript in the worker's memory. No features: no streaming, no stop, no limits, no continuation as new.",
  packages: [
    "@temporalio/activity",
    "@temporalio/client",
    "@temporalio/worker",
    "@temporalio/workflow",
    "openai",
  ],
  growth: "linear",
  longest: { turns: 1_950, reason: "the server takes 2,000 updates of one run" },
  bundle: (folder) => buildBundle(join(import.meta.dirname, "workflow.mjs"), folder),
  async startServices({ folder }) {
    const server = await startTemporalServer({ folder });
    return { ...server, env: { ...server.env, BENCH_BUNDLE: await this.bundle(folder) } };
  },
};

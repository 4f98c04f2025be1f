import { join } from "node:path";
import { buildBundle } from "../../suite/build-bundle.mjs";
import { startTemporalServer } from "../../suite/temporal-server.mjs";

export default {
  title: "Temporal, transcript as input",
  about:
    "The common form: an update awaits one activity, which gets the whole transcript each turn, so that any worker can run it; the history grows with the square of the turns.",
  packages: [
    "@temporalio/activity",
    "@temporalio/client",
    "@temporalio/worker",
    "@temporalio/workflow",
    "openai",
  ],
  growth: "quadratic",
  longest: { turns: 330, reason: "the server ends a run whose history passes 50 MiB" },
  bundle: (folder) => buildBundle(join(import.meta.dirname, "workflow.mjs"), folder),
  async startServices({ folder }) {
    const server = await startTemporalServer({ folder });
    return { ...server, env: { ...server.env, BENCH_BUNDLE: await this.bundle(folder) } };
  },
};

import { join } from "node:path";
import { startTemporalServer } from "../../suite/temporal-server.mjs";

export default {
  title: "Holdfast",
  about:
    "`session.run` as users call it, the worker in the same process, all of its features at their defaults.",
  packages: ["holdfast"],
  growth: "linear",
  bundle: async () => join(import.meta.dirname, "../../../dist/workflow-bundle.js"),
  startServices: startTemporalServer,
};

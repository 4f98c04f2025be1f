import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startTemporalServer } from "../../suite/temporal-server.mjs";

function textOf(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

export default {
  title: "Holdfast",
  about:
    "`session.run` as users call it, the worker in the same process, all of its features at their defaults.",
  packages: ["holdfast"],
  growth: "linear",
  /** In the journal of calls, which is on its way to the server. */
  hasNotedReply(folder) {
    const journal = join(folder, ".holdfast/journal");
    const entries = readdirSync(journal).filter((name) => name.endsWith(".json"));
    return entries.some((name) => textOf(join(journal, name)).includes('"reply":'));
  },
  bundle: async () => join(import.meta.dirname, "../../../dist/workflow-bundle.js"),
  startServices: startTemporalServer,
};

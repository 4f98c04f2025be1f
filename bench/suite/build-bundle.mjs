// Workflow code bundled beforehand, as Temporal's documentation asks of production.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundleWorkflowCode } from "@temporalio/worker";

const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** The path of the bundle, written to the folder. */
export async function buildBundle(workflowsPath, folder) {
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: quiet });
  const path = join(folder, "workflow-bundle.js");
  await writeFile(path, code);
  return path;
}

// Bundles the workflow beforehand, with the plug-in, as a program of its own: its SDK is not the one of the suite's process.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AiSdkPlugin } from "@temporalio/ai-sdk";
import { bundleWorkflowCode } from "@temporalio/worker";

const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const { code } = await bundleWorkflowCode({
  workflowsPath: join(import.meta.dirname, "workflow.mjs"),
  plugins: [new AiSdkPlugin({ modelProvider: {} })],
  logger: quiet,
});
await writeFile(process.argv[2], code);

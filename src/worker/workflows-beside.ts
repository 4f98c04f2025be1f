/** The conversation's workflow in a bundle beside the workflows of somebody else. */
import { readFile } from "node:fs/promises";
import type { bundleWorkflowCode, WorkerOptions } from "@temporalio/worker";
import { builtFile } from "../connection/built-file.js";
import { UsageError } from "../core/errors/errors.js";

export type BundleOptions = Parameters<typeof bundleWorkflowCode>[0];
type Configure = NonNullable<BundleOptions["webpackConfigHook"]>;

/** What dist/workflows/workflows-beside.cjs requires in the place of the other workflows. */
const THEIRS = "holdfast-workflows-beside";
/** Stands in every bundle that has the interceptors of src/workflows/interceptors.ts. */
const MARK = "holdfast:results-before-messages";

/**
 * A bundle without workflows of others is the one that was built with this package. One that is built with a plugin has both.
 *
 * @throws UsageError for a bundle that was built without the plugin.
 */
export async function workflowsOf({
  workflowsPath,
  workflowBundle,
}: Pick<WorkerOptions, "workflowsPath" | "workflowBundle">): Promise<Pick<WorkerOptions, "workflowBundle">> {
  if (workflowBundle === undefined)
    return workflowsPath === undefined
      ? { workflowBundle: { codePath: builtFile("workflow-bundle.js") } }
      : {};
  const code =
    "code" in workflowBundle ? workflowBundle.code : await readFile(workflowBundle.codePath, "utf8");
  if (code.includes(MARK)) return {};
  throw new UsageError(
    "The workflow bundle of this worker has no conversations in it: build it with bundleWorkflowCode({ plugins: [plugin], … }), or give workflowsPath in its place.",
  );
}

/** Adds the workflow and its interceptors, and our payload converter where there is none. */
export function bundleBeside(options: BundleOptions): BundleOptions {
  const { workflowsPath, webpackConfigHook = (config) => config } = options;
  return {
    ...options,
    workflowsPath: builtFile("workflows/workflows-beside.cjs"),
    workflowInterceptorModules: [
      builtFile("workflows/interceptors.js"),
      builtFile("workflows/run-meter.js"),
      ...(options.workflowInterceptorModules ?? []),
    ],
    payloadConverterPath: options.payloadConverterPath ?? builtFile("connection/payload-converter.cjs"),
    webpackConfigHook: (config) => withAlias(webpackConfigHook(config), workflowsPath),
  };
}

function withAlias(config: ReturnType<Configure>, path: string): ReturnType<Configure> {
  const { alias } = config.resolve ?? {};
  return {
    ...config,
    resolve: {
      ...config.resolve,
      alias: Array.isArray(alias)
        ? [...alias, { name: THEIRS, alias: path, onlyModule: true }]
        : { ...alias, [`${THEIRS}$`]: path },
    },
  };
}

import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { bundleWorkflowCode } from "@temporalio/worker";
import { parseSync } from "oxc-parser";

const silent = { trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error, log() {} };

/**
 * The workflow bundle that workers load instead of making one at every start: of the compiled files one by one, for only so does a
 * module keep what it imports to itself, and what no workflow needs stays out.
 */
export async function bundleWorkflows(root, compiled) {
  const workflowsPath = join(compiled, "workflows", "conversation.js");
  const workflowInterceptorModules = ["interceptors.js", "run-meter.js"].map((name) =>
    join(compiled, "workflows", name),
  );
  const core = join(compiled, "core");
  const modules = modulesFrom([workflowsPath, ...workflowInterceptorModules]);
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules,
    // Loaded once in a thread, and not for each conversation (decision 0037): what is in core/ keeps nothing of a workflow.
    preloadModules: modules.filter((file) => file.startsWith(core)),
    // A module that is loaded for nothing but that is not left out.
    webpackConfigHook: (config) => ({
      ...config,
      optimization: { ...config.optimization, sideEffects: false },
    }),
    payloadConverterPath: join(compiled, "connection", "payload-converter.cjs"),
    logger: silent,
  });
  // Where they were compiled says nothing, and is another place at every build.
  const named = withPlainMap(code, root, compiled).replaceAll(`./${relative(root, compiled)}/`, "./dist/");
  // The SDK takes a stack for every promise that a workflow makes, for the page of a stuck one: with ten frames a third of the
  // processor time of a turn's workflow tasks. The innermost frame is kept, by which an error of ours is found. On the bundle's
  // first line, so that its source map stays true; whoever bundles workflows of their own keeps all frames.
  return `Error.stackTraceLimit = 1; ${named}`;
}

/** The modules of ours that these load, themselves included. */
function modulesFrom(files, reached = new Set()) {
  for (const file of files) {
    if (reached.has(file)) continue;
    reached.add(file);
    const { staticImports, staticExports } = parseSync(file, readFileSync(file, "utf8")).module;
    const named = [
      ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value)),
    ];
    const own = named.filter((name) => name?.startsWith("."));
    modulesFrom(
      own.map((name) => join(dirname(file), name)),
      reached,
    );
  }
  return [...reached];
}

const MAP = "//# sourceMappingURL=data:application/json;charset=utf-8;base64,";

/**
 * The source map with the names of the sources as they are in the repository, and without their texts: two thirds of what each worker
 * would decode, parse and hand to its thread at every start. The texts are in the maps of dist/chunks/ and of the packages.
 */
function withPlainMap(code, root, compiled) {
  const [text, encoded, ...others] = code.split(MAP);
  if (encoded === undefined || others.length > 0)
    throw new Error("The workflow bundle has no single source map at its end.");
  const { sourcesContent: _, ...map } = JSON.parse(Buffer.from(encoded, "base64").toString());
  const sources = map.sources.map((source) =>
    source.replace(`${compiled}/`, "dist/").replace(`${root}/`, ""),
  );
  return `${text}${MAP}${Buffer.from(JSON.stringify({ ...map, sources })).toString("base64")}`;
}

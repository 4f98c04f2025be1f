import { join, relative } from "node:path";
import { bundleWorkflowCode } from "@temporalio/worker";

const silent = { trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error, log() {} };

/**
 * The workflow bundle that workers load instead of making one at every start: of the compiled files one by one, for only so does a
 * module keep what it imports to itself, and what no workflow needs stays out.
 */
export async function bundleWorkflows(root, compiled) {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(compiled, "workflows", "conversation.js"),
    workflowInterceptorModules: ["interceptors.js", "run-meter.js"].map((name) =>
      join(compiled, "workflows", name),
    ),
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

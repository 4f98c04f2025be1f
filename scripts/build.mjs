// Builds dist/: the compiled sources, and the workflow bundle that workers load instead of making one at every start. With
// --if-stale only where a source is newer: the first `npx holdfast` of a checkout runs `prepare`, and a worker that starts
// meanwhile must not find half a dist/.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleWorkflowCode } from "@temporalio/worker";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const built = join(root, "dist");

if (process.argv.includes("--if-stale") && !isStale()) process.exit(0);

const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
execFileSync(process.execPath, [compiler, "-p", join(root, "tsconfig.build.json")], {
  cwd: root,
  stdio: "inherit",
});
chmodSync(join(built, "cli", "main.js"), 0o755);

const silent = { trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error, log() {} };
const { code } = await bundleWorkflowCode({
  workflowsPath: join(built, "workflows", "conversation.js"),
  workflowInterceptorModules: ["interceptors.js", "run-meter.js"].map((name) =>
    join(built, "workflows", name),
  ),
  payloadConverterPath: join(built, "connection", "payload-converter.cjs"),
  logger: silent,
});
// The SDK takes a stack for every promise that a workflow makes, for the page of a stuck one: with ten frames a third of the
// processor time of a turn's workflow tasks. The innermost frame is kept, by which an error of ours is found. On the bundle's
// first line, so that its source map stays true; whoever bundles workflows of their own keeps all frames.
writeWhole(join(built, "workflow-bundle.js"), `Error.stackTraceLimit = 1; ${code}`);

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
console.log(`holdfast ${version}: built; workflow bundle ${Math.round(code.length / 1024)} KiB`);

/** The bundle is the last product, so it is as old as the build. */
function isStale() {
  const made = statSync(join(built, "workflow-bundle.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ["src", "scripts/build.mjs", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];
  return sources
    .flatMap((name) => withDescendants(join(root, name)))
    .some((path) => statSync(path).mtimeMs >= made);
}

function withDescendants(path) {
  if (!statSync(path).isDirectory()) return [path];
  return [path, ...readdirSync(path, { recursive: true }).map((name) => join(path, name))];
}

/** Written beside and renamed, so that a worker that starts meanwhile never loads half a bundle. */
function writeWhole(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

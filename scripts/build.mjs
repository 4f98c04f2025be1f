// Builds dist/: the sources as few modules, their declarations, and the workflow bundle. All of it is made beside and put in the
// place of the old at the end, so that a worker that starts meanwhile never finds half of it. With --if-stale only where a source is
// newer: the first `npx holdfast` of a checkout runs `prepare`.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
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
import { bundleModules, PUBLIC_ENTRIES } from "./build/bundle-modules.mjs";
import { bundleWorkflows } from "./build/bundle-workflows.mjs";
import { copyDeclarations } from "./build/copy-declarations.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const built = join(root, "dist");
/** Taken as they are compiled: one that Temporal requires, one that webpack reads. */
const COMMON_JS = ["connection/payload-converter.cjs", "workflows/workflows-beside.cjs"];

if (process.argv.includes("--if-stale") && !isStale()) process.exit(0);

// In the checkout and as deep as dist/: webpack finds the packages, source maps fit, and a rename stays within one file system.
const made = join(root, `.build-${process.pid}`);
const [compiled, old] = [`${made}-compiled`, `${made}-old`];
try {
  const bundle = await build();
  if (existsSync(built)) renameSync(built, old);
  renameSync(made, built);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  console.log(`holdfast ${version}: built; workflow bundle ${Math.round(bundle.length / 1024)} KiB`);
} finally {
  for (const folder of [made, compiled, old]) rmSync(folder, { recursive: true, force: true });
}

async function build() {
  compile(compiled);
  await bundleModules(root, made);
  chmodSync(join(made, "cli", "main.js"), 0o755);
  copyDeclarations(compiled, made, PUBLIC_ENTRIES);
  for (const name of COMMON_JS.flatMap((name) => [name, `${name}.map`])) {
    mkdirSync(dirname(join(made, name)), { recursive: true });
    copyFileSync(join(compiled, name), join(made, name));
  }
  const bundle = await bundleWorkflows(root, compiled);
  writeFileSync(join(made, "workflow-bundle.js"), bundle);
  return bundle;
}

/** Every source to a file of its own, with its declarations. */
function compile(folder) {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [compiler, "-p", join(root, "tsconfig.build.json"), "--outDir", folder], {
    cwd: root,
    stdio: "inherit",
  });
}

/** The bundle is the last product, so it is as old as the build. */
function isStale() {
  const made = statSync(join(built, "workflow-bundle.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = [
    "src",
    "scripts/build.mjs",
    "scripts/build",
    "package-lock.json",
    "tsconfig.json",
    "tsconfig.build.json",
  ];
  return sources
    .flatMap((name) => withDescendants(join(root, name)))
    .some((path) => statSync(path).mtimeMs >= made);
}

function withDescendants(path) {
  if (!statSync(path).isDirectory()) return [path];
  return [path, ...readdirSync(path, { recursive: true }).map((name) => join(path, name))];
}

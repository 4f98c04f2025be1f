import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { findTemporalBinary, findTestServerBinary } from "../../src/server/find-temporal-binary.js";

const root = join(import.meta.dirname, "../..");

/** The last file that `scripts/build.mjs` writes: as old as the build. */
const lastProduct = join(root, "dist/workflow-bundle.js");

/** Everything the build is made from. */
const sources = ["src", "scripts/build.mjs", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];

/**
 * Builds `dist/` when it is missing or older than its sources, so that a single test file can be run straight after an edit, and
 * fetches Temporal's executables once, so that no test's time limit has to hold a download.
 */
export default async function setup(): Promise<void> {
  build();
  const onProgress = (line: string): void => console.log(line);
  await Promise.all([findTemporalBinary({ onProgress }), findTestServerBinary({ onProgress })]);
}

function build(): void {
  const built = statSync(lastProduct, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built > newest(sources.map((path) => join(root, path)))) return;
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Error("The build failed; its messages stand above. Tests of dist/ cannot run.");
}

function newest(paths: readonly string[]): number {
  return Math.max(...paths.flatMap(withDescendants).map((path) => statSync(path).mtimeMs));
}

function withDescendants(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return [path, ...readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name))];
}

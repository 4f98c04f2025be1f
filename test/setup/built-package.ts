import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { findTemporalBinary, findTestServerBinary } from "../../src/server/find-temporal-binary.js";

const root = join(import.meta.dirname, "../..");

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
  const command = ["scripts/build.mjs", "--if-stale"];
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Error("The build failed; its messages stand above. Tests of dist/ cannot run.");
}

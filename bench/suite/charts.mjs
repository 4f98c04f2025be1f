// The charts of docs/, drawn by a process with packages of its own (bench/charts/), which are installed when they are first needed.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const PLACE = join(import.meta.dirname, "../charts");
const run = promisify(execFile);

/** Throws where the packages cannot be installed; the figures are written by then. */
export async function drawCharts(file, folder, say) {
  if (!existsSync(join(PLACE, "node_modules/.package-lock.json"))) {
    say("charts: npm ci");
    await run("npm", ["ci"], { cwd: PLACE, timeout: 600_000 });
  }
  mkdirSync(folder, { recursive: true });
  await run(process.execPath, [join(PLACE, "draw.mjs"), file, folder]);
  say(`charts: ${folder}`);
}

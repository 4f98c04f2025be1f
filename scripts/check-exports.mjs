// Checks the package as a user would get it: packs a tarball, then holds its exports and types against publint and
// "are the types wrong" (ESM only).
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs a program with its output on this terminal, or captured; ends the process with the program's exit code when it fails. */
function run(program, args, { capture = false } = {}) {
  const result = spawnSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", capture ? "pipe" : "inherit", "inherit"],
  });
  if (result.error) throw result.error;
  if (result.status !== 0) {
    process.stderr.write(`${program} ${args.join(" ")}: exit code ${result.status}\n${result.stdout ?? ""}`);
    process.exit(result.status ?? 1);
  }
  return result.stdout;
}

const folder = mkdtempSync(join(tmpdir(), "holdfast-exports-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const packed = run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
  capture: true,
});
const [{ filename, size, unpackedSize, entryCount }] = Object.values(JSON.parse(packed));
console.log(`${filename}: ${entryCount} files, ${size} bytes packed, ${unpackedSize} unpacked`);

const tarball = join(folder, filename);
run("publint", [tarball, "--strict"]);
run("attw", [tarball, "--profile", "esm-only", "--no-definitely-typed"]);

import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { repositoryRoot } from "../support/source-file.js";

/** A checkout that holds what a build needs, with the packages of this one. */
function checkout(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-build-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["src", "scripts", "package.json", "tsconfig.json", "tsconfig.build.json"])
    cpSync(join(repositoryRoot, name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, "package-lock.json"), "");
  symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
  return folder;
}

function build(folder: string, ...options: readonly string[]) {
  const command = [join(folder, "scripts/build.mjs"), ...options];
  const { status, stdout } = spawnSync(process.execPath, command, { encoding: "utf8" });
  return { status, stdout };
}

describe("the build", () => {
  it("TRE-305 puts a whole dist/ in the place of the old one, or leaves that, also where no source is newer", () => {
    const folder = checkout();
    mkdirSync(join(folder, "dist/core"), { recursive: true });
    const old = join(folder, "dist/core/of-an-older-layout.js");
    writeFileSync(old, "");
    const source = join(folder, "src/index.ts");
    writeFileSync(source, "export const broken: number = '';", { flag: "a" });
    expect(build(folder).status).not.toBe(0);
    expect(existsSync(old)).toBe(true);
    cpSync(join(repositoryRoot, "src/index.ts"), source);
    expect(build(folder)).toEqual({ status: 0, stdout: expect.stringContaining("built") });
    expect(existsSync(old)).toBe(false);
    expect(existsSync(join(folder, "dist/workflow-bundle.js"))).toBe(true);
    expect(readdirSync(folder).filter((name) => name.startsWith(".build"))).toEqual([]);
    expect(build(folder, "--if-stale")).toEqual({ status: 0, stdout: "" });
  }, 120_000);
});

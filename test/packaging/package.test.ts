import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../support/source-file.js";

interface Manifest {
  readonly version: string;
  readonly bin: { readonly holdfast: string };
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

const manifest: Manifest = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));

const run = (program: string, args: readonly string[]): string =>
  execFileSync(program, args, { cwd: repositoryRoot, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** The files that a release would hold. npm prints an array or, in newer versions, an object. */
function packedFiles(): string[] {
  const printed: Record<string, { files: { path: string }[] }> = JSON.parse(
    run("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"]),
  );
  return Object.values(printed).flatMap(({ files }) => files.map(({ path }) => path));
}

describe("the package", () => {
  const files = packedFiles();

  it("TRE-15 holds what its exports and its command name, the documents, and no source or test", () => {
    const named = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === "string" ? [entry] : [entry.types, entry.default],
    );
    const wanted = [...named, manifest.bin.holdfast, "dist/workflow-bundle.js"].map((path) =>
      posix.normalize(path),
    );
    expect(files).toEqual(
      expect.arrayContaining([...wanted, "README.md", "LICENSE", "CHANGELOG.md", "SPEC.md", "docs/media.md"]),
    );
    expect(
      files.filter(
        (path) =>
          !/^(dist\/|docs\/[a-z0-9-]+\.md$|docs\/charts\/[a-z0-9-]+\.svg$|[A-Z]+(\.md)?$|package\.json$)/.test(
            path,
          ),
      ),
    ).toEqual([]);
  });

  it("TRE-16 can be imported by every one of its entry points", () => {
    const names = Object.keys(manifest.exports)
      .filter((path) => !path.endsWith(".json"))
      .map((path) => posix.join("holdfast", path));
    const script = `for (const name of ${JSON.stringify(names)}) {
      const found = await import(name);
      console.log(name, Object.keys(found).length > 0);
    }`;
    expect(run(process.execPath, ["--input-type=module", "--eval", script])).toBe(
      names.map((name) => `${name} true\n`).join(""),
    );
  });

  it("TRE-26 lets a module that exports agents and tools be declared, from each entry point alone", () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-declarations-"));
    try {
      const modules = join(folder, "node_modules");
      mkdirSync(modules);
      symlinkSync(repositoryRoot, join(modules, "holdfast"));
      symlinkSync(join(repositoryRoot, "node_modules/@types"), join(modules, "@types"));
      const agent = `export default new Agent({ name: "desk", model: "claude-haiku-4-5" });
        export const data = new Agent({ name: "data", model: "gpt-6-luna", output: { schema: { type: "object" } } });`;
      const sources = {
        "client.ts": `import { Agent } from "holdfast";\n${agent}`,
        "worker.ts": `import { Agent, defineTool } from "holdfast/worker";\n${agent}
          export const look = defineTool({ name: "look", execute: () => "found" });`,
        "workflows.ts": `import { Agent } from "holdfast/workflows";\n${agent}`,
      };
      const options =
        "--ignoreConfig --declaration --module nodenext --target es2024 --strict --skipLibCheck --types node";
      for (const [name, source] of Object.entries(sources)) {
        writeFileSync(join(folder, name), source);
        const args = [...options.split(" "), "--outDir", join(folder, "out"), join(folder, name)];
        expect(run(join(repositoryRoot, "node_modules/.bin/tsc"), args)).toBe("");
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("TRE-17 runs its command straight from the checkout", () => {
    expect(run("npx", ["--no-install", "holdfast", "--version"])).toContain(manifest.version);
  });
});

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../support/source-file.js";

const dist = join(repositoryRoot, "dist");
const recorder = pathToFileURL(join(repositoryRoot, "test/support/record-imports.mjs")).href;
const PUBLIC = ["index", "worker/index", "workflows/index", "core/index", "media-stores/index", "testing"];

interface Import {
  readonly from: string;
  readonly specifier: string;
  readonly url: string;
}

interface Loaded {
  /** The package's own modules, as paths in `dist/`. */
  readonly own: readonly string[];
  /** What those import by name. */
  readonly packages: readonly string[];
}

/** What a fresh process loads that imports these. Some throw when they run, being no thread: all that they import is there by then. */
function load(...entries: readonly string[]): Loaded {
  const script = entries.map((name) => `await import(${JSON.stringify(urlOf(`${name}.js`))});`).join("\n");
  const { output } = spawnSync(
    process.execPath,
    ["--import", recorder, "--input-type=module", "--eval", script],
    { encoding: "utf8", stdio: ["ignore", "ignore", "ignore", "pipe"] },
  );
  const lines = (output[3] ?? "").trim().split("\n");
  const imports = lines.map((line): Import => JSON.parse(line));
  const isOwn = (url: string): boolean => url.startsWith(urlOf(""));
  return {
    own: distinct(imports.map(({ url }) => url).filter(isOwn)).map((url) =>
      relative(dist, fileURLToPath(url)),
    ),
    packages: distinct(
      imports.filter(({ from, url }) => isOwn(from) && !isOwn(url)).map(({ specifier }) => specifier),
    ),
  };
}

const urlOf = (path: string): string => pathToFileURL(`${dist}/${path}`).href;
const distinct = (values: readonly string[]): string[] => [...new Set(values)].sort();
const read = (path: string): string => readFileSync(join(dist, path), "utf8");

/** A module that only hands on what others export has none. */
const hasMap = (path: string): boolean => existsSync(join(dist, `${path}.map`));

/** The sources in a module, as paths in the repository. */
function sourcesOf(path: string): string[] {
  if (!hasMap(path)) return [];
  const { sources }: { sources: string[] } = JSON.parse(read(`${path}.map`));
  return sources.map((source) => posix.join("dist", posix.dirname(path), source));
}

/** The files that these import, at once or later, and they themselves. */
function reachedFrom(names: readonly string[], extension: ".js" | ".d.ts"): string[] {
  const reached = new Set(names.map((name) => name + extension));
  for (const path of reached)
    for (const [, name] of read(path).matchAll(/(?:from\s*|import\s*|import\(\s*)"(\.[^"]+)\.js"/g))
      reached.add(posix.join(posix.dirname(path), name + extension));
  return [...reached];
}

describe("the package's modules", () => {
  const start = load("index", "worker/index");

  it("TRE-300 a client and a worker start with at most 24 files of the package", () => {
    expect(start.own).toEqual(expect.arrayContaining(["index.js", "worker/index.js"]));
    expect(start.own.length).toBeLessThanOrEqual(24);
  });

  it("TRE-301 and with nothing that is used later or never", () => {
    const sources = start.own.flatMap(sourcesOf);
    expect(sources).toEqual(expect.arrayContaining(["src/client/conversations.ts", "src/core/agent.ts"]));
    const later =
      /^src\/(cli|simulator)\/|^src\/server\/local-stack|^src\/providers\/(anthropic|openai|google|fireworks)/;
    expect(sources.filter((source) => later.test(source))).toEqual([]);
    const packages =
      /^(@anthropic-ai|@aws-sdk|@google|openai|citty|piscina|file-type|image-size|node:http)(\/|$)/;
    expect(start.packages.filter((name) => packages.test(name))).toEqual([]);
  });

  it.each([
    ["core/index", /^(@noble\/hashes\/.*|canonicalize)$/],
    ["workflows/index", /^(@noble\/hashes\/.*|canonicalize|@temporalio\/(workflow|common)(\/.*)?)$/],
    ["workflows/interceptors", /^(@noble\/hashes\/.*|canonicalize|@temporalio\/(workflow|common)(\/.*)?)$/],
    ["media-stores/index", /^(@noble\/hashes\/.*|canonicalize|node:.*)$/],
    ["testing", /^(@noble\/hashes\/.*|canonicalize|node:.*)$/],
    ["activities/output/check-thread", /^(@cfworker\/json-schema|node:.*)$/],
    ["cli/run-cli", /^(citty|node:.*)$/],
  ])("TRE-302 %s loads no package that it has no use for", (entry, wanted) => {
    const { own, packages } = load(entry);
    expect(own).toContain(`${entry}.js`);
    expect(packages.filter((name) => !wanted.test(name))).toEqual([]);
  });

  it("TRE-302 a thread for large work loads neither Temporal's client nor its worker", () => {
    const { own, packages } = load("activities/threads/work-thread");
    expect(own).toContain("activities/threads/work-thread.js");
    expect(packages.filter((name) => /^@temporalio\/(client|worker)/.test(name))).toEqual([]);
  });

  it("TRE-303 are all reached, with every other file of dist/", () => {
    const byPath = [
      "cli/main",
      "cli/tour/worker-process",
      "cli/tour/continuation-process",
      "activities/threads/work-thread",
      "activities/output/check-thread",
      "workflows/interceptors",
      "workflows/run-meter",
    ];
    const modules = reachedFrom([...PUBLIC, ...byPath], ".js");
    const used = [
      ...modules,
      ...modules.filter(hasMap).map((path) => `${path}.map`),
      ...reachedFrom(PUBLIC, ".d.ts"),
      "connection/payload-converter.cjs",
      "connection/payload-converter.cjs.map",
      "workflows/workflows-beside.cjs",
      "workflows/workflows-beside.cjs.map",
      "workflow-bundle.js",
    ];
    const files = readdirSync(dist, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(dist, join(entry.parentPath, entry.name)));
    expect(files.sort()).toEqual(distinct(used));
  });

  it("TRE-304 export one and the same thing under one name, whichever entry point it is taken from", async () => {
    const found = new Map<string, unknown>();
    let shared = 0;
    for (const name of PUBLIC) {
      const exported: Record<string, unknown> = await import(urlOf(`${name}.js`));
      for (const [key, value] of Object.entries(exported)) {
        if (found.has(key)) shared += 1;
        else found.set(key, value);
        expect(found.get(key), key).toBe(value);
      }
    }
    expect(shared).toBeGreaterThan(10);
  });
});

/** The rules of the tree, each as a function from source files to complaints. `test/structure.test.ts` holds `src/` against them. */
import { posix } from "node:path";
import type { SourceFile } from "./source-file.js";

/** From top to bottom: a file may import from its own folder and from those below it. */
const layers = [
  "cli",
  "client",
  "server",
  "worker",
  "activities",
  "providers",
  "connection",
  "media-stores",
  "simulator",
  "workflows",
  "core",
];

/** The files behind the package's `exports`. Those at the root of `src/` stand above every folder. */
const entryPoints = new Set([
  "src/index.ts",
  "src/testing.ts",
  "src/worker/index.ts",
  "src/workflows/index.ts",
  "src/core/index.ts",
  "src/media-stores/index.ts",
]);

const dialectFiles = [
  "wire.ts",
  "from-wire.ts",
  "to-wire.ts",
  "tools.ts",
  "usage.ts",
  "finish-reason.ts",
  "index.ts",
];

/** Each provider's SDK, and that of S3, and what the name of a file that may import it begins with. */
const providerSdks: Readonly<Record<string, RegExp>> = {
  "@anthropic-ai/sdk": /^src\/providers\/anthropic/,
  "@google/genai": /^src\/providers\/google/,
  "@aws-sdk/client-s3": /^src\/media-stores\/s3-/,
  "@aws-sdk/lib-storage": /^src\/media-stores\/s3-/,
  openai: /^src\/providers\/(openai|fireworks)/,
};

/** What the workflow sandbox or a browser lacks, and whatever makes a second run differ from the first. */
const hostGlobals =
  /^(new )?((Buffer|process|globalThis|crypto|performance|console)[.(]|(require|fetch|setTimeout|setInterval|setImmediate|queueMicrotask|structuredClone|atob|btoa)\()|^(new )?Date\(\)|^Date\.now|^Math\.random/;

export function upwardImports(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    file.imports
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => posix.join(posix.dirname(file.path), specifier))
      .filter((target) => rank(target) < rank(file.path))
      .map((target) => `${file.path} imports ${target}, which stands above it`),
  );
}

/** Files at the root of `src/` (and whatever lies in an unlisted folder) rank above every folder of the list. */
function rank(path: string): number {
  const [, folder, ...rest] = path.split("/");
  return rest.length === 0 || folder === undefined ? -1 : layers.indexOf(folder);
}

export function coreImpurities(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => file.path.startsWith("src/core/"))
    .flatMap((file) => [
      ...packages(file)
        .filter((name) => name !== "@noble/hashes" && name !== "canonicalize")
        .map((name) => `${file.path} imports ${name}`),
      ...file.uses.filter((name) => hostGlobals.test(name)).map((name) => `${file.path} uses ${name}`),
    ]);
}

/** The core is shared by all conversations of a worker: what a module of it could change would be shared as well. */
export function coreVariables(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => file.path.startsWith("src/core/"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^(?:export )?(?:let|var) (\w+)/gm)].map(
        ([, name]) => `${path} has the variable ${name}`,
      ),
    );
}

/** The name for which the bundler puts the workflows of somebody who runs conversations beside them. */
const THEIR_WORKFLOWS = "holdfast-workflows-beside";
const workflowPackages = ["@temporalio/workflow", "@temporalio/common", THEIR_WORKFLOWS];

export function foreignImports(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => file.path.startsWith("src/workflows/"))
    .flatMap((file) =>
      packages(file)
        .filter((name) => !workflowPackages.includes(name))
        .map((name) => `${file.path} imports ${name}`),
    );
}

export function strayProviderSdks(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    packages(file)
      .filter((name) => providerSdks[name]?.test(file.path) === false)
      .map((name) => `${file.path} imports ${name}`),
  );
}

/** The packages a file imports, sub-paths taken off: `node:fs`, `@noble/hashes`. */
function packages(file: SourceFile): string[] {
  return file.imports
    .filter((specifier) => !specifier.startsWith("."))
    .map((specifier) =>
      specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/"),
    );
}

export function missingDialectFiles(files: readonly SourceFile[]): string[] {
  const paths = new Set(files.map((file) => file.path));
  const folders = new Set([...paths].flatMap((path) => /^src\/core\/dialects\/[^/]+(?=\/)/.exec(path) ?? []));
  return [...folders].flatMap((folder) =>
    dialectFiles.map((name) => `${folder}/${name}`).filter((path) => !paths.has(path)),
  );
}

export function oversized(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const limit = entryPoints.has(file.path) ? 25 : 350;
    return [
      ...(file.lines > limit ? [`${file.path} has ${file.lines} lines, more than ${limit}`] : []),
      ...file.functions
        .filter(({ lines }) => lines > 50)
        .map(({ line, lines }) => `${file.path}:${line} is a function of ${lines} lines, more than 50`),
    ];
  });
}

export function strayBarrels(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => file.isBarrel && !entryPoints.has(file.path))
    .map((file) => `${file.path} only re-exports`);
}

// The sources as few ES modules (docs/decisions/0033-bundled-modules.md).
import { join } from "node:path";
import { rolldown } from "rolldown";

/** What a user imports. */
export const PUBLIC_ENTRIES = [
  "index",
  "worker/index",
  "workflows/index",
  "core/index",
  "media-stores/index",
  "testing",
];

/** What is started or loaded by its path: the command, and most of what src/connection/built-file.ts names. */
const ENTRIES_BY_PATH = [
  "cli/main",
  "cli/run-cli",
  "cli/tour/worker-process",
  "cli/tour/continuation-process",
  "activities/threads/work-thread",
  "activities/output/check-thread",
  "workflows/interceptors",
  "workflows/run-meter",
];

/** The start of a client and a worker, whose files are to be few. */
const START = ["index", "worker/index"];

/**
 * How the start is divided: each chunk has what the start shares with all of `entries`, and no chunk before it has. So an entry
 * loads little that it does not need, and no package: a thread no Temporal client, a workflow nothing but workflow code. What a
 * module imports is in its chunk or in one before it, so chunks never import each other in a circle.
 */
const CHUNKS = [
  { name: "base", entries: ["workflows/index", "cli/run-cli"] },
  { name: "json", entries: ["workflows/index", "activities/output/check-thread"] },
  { name: "envelope", entries: ["workflows/index", "core/index"] },
  { name: "conversation-state", entries: ["workflows/index"], folder: "core" },
  { name: "workflow-messages", entries: ["workflows/index"] },
  { name: "dialects", entries: ["core/index"] },
  { name: "media-damage", entries: ["testing"] },
  { name: "output-check", entries: ["activities/output/check-thread"] },
  { name: "media-stores", entries: ["media-stores/index"] },
  { name: "stores", entries: ["cli/commands/tail"] },
  { name: "provider-settings", entries: ["cli/commands/simulate"] },
  { name: "settings", entries: ["cli/commands/temporal"] },
  { name: "envelope-files", entries: ["cli/commands/convert"] },
  { name: "attached-files", entries: ["cli/commands/send"] },
  { name: "content", entries: ["activities/threads/work-thread", "index"] },
  { name: "provider-calls", entries: ["activities/threads/work-thread"] },
  { name: "connection", entries: START },
  { name: "client-side", entries: ["index"] },
  { name: "worker-side", entries: ["worker/index"] },
];

/** Writes the modules with their source maps into `folder`. The names are the same at every build: nothing is hashed. */
export async function bundleModules(root, folder) {
  const source = (name) => join(root, "src", `${name}.ts`);
  const entries = [...PUBLIC_ENTRIES, ...ENTRIES_BY_PATH];
  const sharers = new Set([START, ...CHUNKS.map(({ entries }) => entries)].flat());
  const reached = new Map();
  await using build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((name) => [name, source(name)])),
    platform: "node",
    external: /^[^./]/,
    plugins: [
      {
        name: "reached",
        buildEnd() {
          for (const name of sharers) reached.set(name, reachedFrom(source(name), this));
        },
      },
    ],
  });
  const isEntry = (id) => entries.some((name) => source(name) === id);
  const loads = (id) => (name) => reached.get(name).has(id);
  const groups = CHUNKS.map(({ name, entries: sharing, folder = "" }) => ({
    name,
    test: (id) =>
      id.startsWith(join(root, "src", folder)) &&
      !isEntry(id) &&
      START.some(loads(id)) &&
      sharing.every(loads(id)),
  }));
  await build.write({
    dir: folder,
    format: "esm",
    sourcemap: true,
    minify: false,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    codeSplitting: { groups },
  });
}

/** The modules that are loaded with this one: those that it imports, not those that it imports later. */
function reachedFrom(id, build, reached = new Set()) {
  if (reached.has(id)) return reached;
  reached.add(id);
  for (const imported of build.getModuleInfo(id)?.importedIds ?? []) reachedFrom(imported, build, reached);
  return reached;
}

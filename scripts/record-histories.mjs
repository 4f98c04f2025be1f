// Records the workflow histories against which every later workflow is replayed (test/replay.test.ts): one folder a release,
// with the payloads that lie outside of the events. Run before a release, after `npm run build`: `npm run record-histories`.
// New scenarios alone: `-- --only NAME,NAME`; the others stay as they are.
// The histories of a release are never made anew: they stand for the conversations that run under it somewhere.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    force: { type: "boolean", default: false },
    only: { type: "string" },
    root: { type: "string", default: dirname(dirname(fileURLToPath(import.meta.url))) },
  },
});
const root = resolve(values.root);
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const released = readFileSync(join(root, "CHANGELOG.md"), "utf8").includes(`\n## [${version}]`);
if (released && !values.force) {
  console.error(
    `Release ${version} is out (CHANGELOG.md): its histories stay as they are. Raise the version in package.json first, or say --force.`,
  );
  process.exit(3);
}

const target = join(root, "test", "histories", version);
const only = values.only?.split(",");
const known = only?.find((name) => existsSync(join(target, `${name}.json`)));
if (known !== undefined && !values.force) {
  console.error(
    `${known} of release ${version} is recorded: it stays as it is. Leave it out, or say --force.`,
  );
  process.exit(3);
}

const { recordScenarios } = await import("./histories/record-scenarios.mjs");
const work = mkdtempSync(join(tmpdir(), "holdfast-histories-"));
try {
  const { histories, payloadStore } = await recordScenarios(work, only);
  if (only === undefined) rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const [name, text] of histories) writeFileSync(join(target, `${name}.json`), text);
  await keepPayloads(payloadStore, join(target, "payloads"), [...histories.values()]);
  console.log(`Recorded ${histories.size} histories of release ${version}: ${target}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Copies the payloads that the histories name. */
async function keepPayloads(store, target, texts) {
  const named = texts.join("\n");
  const claims = [...named.matchAll(/"data": "([^"]+)"/g)].map(([, data]) =>
    Buffer.from(data, "base64").toString(),
  );
  for (const file of readdirSync(store)) {
    if (claims.some((claim) => claim.includes(file))) await cp(join(store, file), join(target, file));
  }
}

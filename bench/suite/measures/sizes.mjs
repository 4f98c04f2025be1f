// What is installed for a system, with all that its packages need, and the workflow code that a Temporal worker loads. No repetitions: bytes of files.
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");

export async function sizes(bench) {
  bench.say("sizes");
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-sizes-"));
  await bench.interleave("sizes", bench.systems, 1, async ({ name, folder: own, peer }) => {
    const found = new Map();
    for (const wanted of peer.packages) collect(wanted, own, found);
    const bundle = await peer.bundle?.(folder);
    bench.record("sizes", name, {
      installBytes: [...found.values()].reduce((sum, bytes) => sum + bytes, 0),
      packages: found.size,
      ...(bundle === undefined ? {} : { bundleBytes: statSync(bundle).size }),
    });
  });
  rmSync(folder, { recursive: true });
}

/** Adds the package, as node finds it from there, and what it needs, each place once. */
function collect(name, from, found) {
  const place = placeOf(name, from);
  if (place === undefined || found.has(place)) return;
  const parsed = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  const isOurs = place === ROOT;
  const shipped = isOurs ? ["dist", "package.json", "SPEC.md", "CHANGELOG.md"] : [""];
  found.set(
    place,
    shipped.reduce((sum, part) => sum + bytesOf(join(place, part)), 0),
  );
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = parsed;
  const peers = Object.keys(peerDependencies ?? {}).filter((peer) => !peerDependenciesMeta[peer]?.optional);
  for (const needed of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers])
    collect(needed, place, found);
}

/** Undefined for one that is not there: another platform's, as a rule. */
function placeOf(name, from) {
  if (name === "holdfast") return ROOT;
  for (let place = from; place.length >= ROOT.length; place = join(place, "..")) {
    const candidate = join(place, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return candidate;
  }
  return undefined;
}

/** Of a file, or of all in a folder but the packages that lie within. */
function bytesOf(path) {
  const status = lstatSync(path);
  if (!status.isDirectory()) return status.size;
  return readdirSync(path)
    .filter((name) => name !== "node_modules")
    .reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

// The systems of a run: found, installed on demand, or skipped with a word.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const PEERS = join(import.meta.dirname, "../peers");
const ROOT = join(import.meta.dirname, "../..");
/** The floor and ours first; the rest by name. */
const FIRST = ["bare", "temporal-minimal", "temporal-transcript", "holdfast"];

/** All names, in the order of tables. */
export function systemNames() {
  const rank = (name) => (FIRST.indexOf(name) + FIRST.length + 1) % (FIRST.length + 1);
  return readdirSync(PEERS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(PEERS, entry.name, "peer.mjs")))
    .map(({ name }) => name)
    .toSorted((one, other) => rank(one) - rank(other) || one.localeCompare(other));
}

/** Each with `name`, `folder`, `peer`, `versions`; and `skipped`, in one line, where it cannot run. */
export async function loadSystems(names, say) {
  const systems = [];
  for (const name of names) {
    const folder = join(PEERS, name);
    const { default: peer } = await import(join(folder, "peer.mjs"));
    const skipped = (await installation(name, folder, say)) ?? (await peer.missing?.());
    if (skipped !== undefined) say(`${peer.title}: skipped, ${skipped}`);
    systems.push({
      name,
      folder,
      peer,
      ...(skipped === undefined ? { versions: versionsOf(folder, peer) } : { skipped }),
    });
  }
  return systems;
}

/** Undefined once the packages are there. */
async function installation(name, folder, say) {
  const file = join(folder, "package-lock.json");
  if (!existsSync(file) || existsSync(join(folder, "node_modules/.package-lock.json"))) return undefined;
  say(`${name}: npm ci`);
  try {
    await promisify(execFile)("npm", ["ci"], { cwd: folder, timeout: 600_000, maxBuffer: 2 ** 26 });
    return undefined;
  } catch (error) {
    const [line] = /npm error [^\n]*/.exec(error.stderr ?? "") ?? [error.message.split("\n")[0]];
    return `its packages cannot be installed: ${line.slice(0, 200)}`;
  }
}

function versionsOf(folder, { packages = [], servers = [] }) {
  return Object.fromEntries([...packages, ...servers].map((name) => [name, versionOf(folder, name)]));
}

/** As node finds it from the folder. */
function versionOf(folder, name) {
  const own = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  if (name === own.name) return own.version;
  for (let place = folder; place.length >= ROOT.length; place = join(place, "..")) {
    const file = join(place, "node_modules", name, "package.json");
    if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")).version;
  }
  return null;
}

/** Whether the packages installed are ones that work together: two mistakes of an installation show only much later. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { bad, type Finding, good } from "./finding.js";

interface InstalledPackage {
  readonly path: string;
  readonly version: string;
}

const TEMPORAL_PACKAGES = ["activity", "client", "common", "envconfig", "proto", "worker", "workflow"].map(
  (name) => `@temporalio/${name}`,
);

/** `from` is a file of the package whose installation is looked at; default: this one. */
export function checkPackages(from: string = import.meta.url): readonly Finding[] {
  return [checkTemporalPackages(from), checkProtobuf(from)];
}

/** Packages of different versions do not load in one process. */
function checkTemporalPackages(from: string): Finding {
  const found = TEMPORAL_PACKAGES.map(
    (name) => [name, findPackage(name, from)?.version ?? "missing"] as const,
  );
  const versions = new Set(found.map(([, version]) => version));
  const [version] = versions;
  if (versions.size === 1 && version !== "missing") return good("@temporalio packages", `all ${version}`);
  const listed = found.map(([name, each]) => `${name} ${each}`).join(", ");
  return bad("@temporalio packages", listed, "install all @temporalio packages at one exact version");
}

/** Temporal needs protobufjs 8 where another package brings 7: with 7 in its place every large payload fails. */
function checkProtobuf(from: string): Finding {
  const own = findPackage("protobufjs", from);
  const proto = findPackage("@temporalio/proto", from);
  const theirs = proto === null ? null : findPackage("protobufjs", join(proto.path, "package.json"));
  const isOne = own !== null && own.path === theirs?.path;
  if (isOne && own.version.startsWith("8.")) return good("protobufjs", own.version);
  const detail = `${own?.version ?? "none"} here, ${theirs?.version ?? "none"} for Temporal`;
  return bad(
    "protobufjs",
    detail,
    "install protobufjs 8 as a dependency of your own, so that it lies at the root",
  );
}

/** As Node looks for it; read from the file, since not every package lets its package.json be imported. */
function findPackage(name: string, from: string): InstalledPackage | null {
  for (const folder of createRequire(from).resolve.paths(name) ?? []) {
    const path = join(folder, name);
    try {
      const { version } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as {
        version?: unknown;
      };
      return { path, version: String(version) };
    } catch {
      // Not in this folder: Node looks in the next one too.
    }
  }
  return null;
}

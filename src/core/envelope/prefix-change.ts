/** What moved between two prefixes. Apart from `fingerprint.ts`, so that the workflow can compare without hashing. */
import type { Prefix, PrefixChangeReport } from "./envelope.js";

/** Null when nothing moved, or when there is no earlier prefix to compare with. Names are sorted. */
export function prefixChange(before: Prefix | null, after: Prefix): PrefixChangeReport | null {
  if (before === null) return null;
  const old = new Map(before.tools.map(({ name, sha256 }) => [name, sha256]));
  const now = new Map(after.tools.map(({ name, sha256 }) => [name, sha256]));
  const names = [...now.keys()].sort();
  const report: PrefixChangeReport = {
    instructions: before.instructions_sha256 !== after.instructions_sha256,
    tools: {
      added: names.filter((name) => !old.has(name)),
      removed: [...old.keys()].filter((name) => !now.has(name)).sort(),
      changed: names.filter((name) => old.has(name) && old.get(name) !== now.get(name)),
    },
  };
  const { added, removed, changed } = report.tools;
  return report.instructions || added.length + removed.length + changed.length > 0 ? report : null;
}

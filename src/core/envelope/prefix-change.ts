/** What moved between two prefixes. Apart from their hashing, because the workflow compares and never hashes. */
import type { Prefix, PrefixChangeReport } from "./envelope.js";

/** Null when instructions and tools are the same. */
export function prefixChange(before: Prefix, after: Prefix): PrefixChangeReport | null {
  const old = new Map(before.tools.map((tool) => [tool.name, tool.sha256]));
  const now = new Map(after.tools.map((tool) => [tool.name, tool.sha256]));
  const instructions = before.instructions_sha256 !== after.instructions_sha256;
  const added = [...now.keys()].filter((name) => !old.has(name));
  const removed = [...old.keys()].filter((name) => !now.has(name));
  const changed = [...now.keys()].filter((name) => old.has(name) && old.get(name) !== now.get(name));
  if (!instructions && added.length + removed.length + changed.length === 0) return null;
  return { instructions, tools: { added, removed, changed } };
}

/** Lone halves of UTF-16 pairs, which strict JSON parsers refuse. */
import { isJsonObject, type JsonValue } from "../core/json.js";
import type { WireIssue } from "./wire-issue.js";

/** One issue for the first text (or key) that is not well formed. */
export function checkWellFormed(body: JsonValue): readonly WireIssue[] {
  const path = findIllFormed(body, "");
  if (path === undefined) return [];
  const message = `The request body is not valid JSON: lone surrogate in the string at ${path === "" ? "the root" : path}`;
  return [{ path, message }];
}

function findIllFormed(value: JsonValue | undefined, path: string): string | undefined {
  if (typeof value === "string") return value.isWellFormed() ? undefined : path;
  const entries = Array.isArray(value) ? value.entries() : isJsonObject(value) ? Object.entries(value) : [];
  for (const [key, item] of entries) {
    const at = path === "" ? String(key) : `${path}.${key}`;
    if (typeof key === "string" && !key.isWellFormed()) return at;
    const found = findIllFormed(item, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What every document must be before anything reads it: plain JSON, not too deep, without keys that reach a prototype. */
import type { EnvelopeIssue } from "../errors/errors.js";

/** Deepest nesting of objects and arrays; deeper ones would overflow the stack of somebody's reader. */
export const MAX_DEPTH = 200;

/** Members whose content belongs to a provider or a tool: there `constructor` is a field like any other. */
const FOREIGN_CONTENT: ReadonlySet<string> = new Set([
  "messages",
  "attic",
  "input_schema",
  "output_schema",
  "params",
  "raw_usage",
]);

interface Node {
  readonly value: unknown;
  readonly key: string | number;
  readonly parent: Node | undefined;
  readonly depth: number;
  readonly foreign: boolean;
}

/** A place that is not plain, finite, shallow JSON, or whose key is refused; undefined when all is well. */
export function checkStructure(value: unknown): EnvelopeIssue | undefined {
  const open: Node[] = [{ value, key: "", parent: undefined, depth: 0, foreign: false }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const issue = issueAt(node);
    if (issue !== undefined) return issue;
    for (const child of childrenOf(node)) open.push(child);
  }
  return undefined;
}

function issueAt(node: Node): EnvelopeIssue | undefined {
  const { value, key, depth, foreign } = node;
  if (key === "__proto__" || (!foreign && (key === "constructor" || key === "prototype"))) {
    return { path: pathOf(node), expected: "no such key: it is refused for safety", found: `"${key}"` };
  }
  if (depth > MAX_DEPTH) {
    return { path: pathOf(node), expected: `at most ${MAX_DEPTH} levels of nesting`, found: "more" };
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    return { path: pathOf(node), expected: "a finite number", found: String(value) };
  }
  if (!isPlain(value)) return { path: pathOf(node), expected: "plain JSON", found: typeof value };
  return undefined;
}

function isPlain(value: unknown): boolean {
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) || Object.prototype.toString.call(value) === "[object Object]";
  }
  return typeof value !== "function" && typeof value !== "symbol" && typeof value !== "bigint";
}

function childrenOf(node: Node): readonly Node[] {
  const { value, depth } = node;
  if (typeof value !== "object" || value === null) return [];
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value);
  return entries
    .filter(([key, item]) => needsLook(key, item))
    .map(([key, item]) => ({
      value: item,
      key,
      parent: node,
      depth: depth + (typeof item === "object" && item !== null ? 1 : 0),
      foreign: node.foreign || (typeof node.key === "string" && FOREIGN_CONTENT.has(node.key)),
    }));
}

/** Strings, booleans and null under an ordinary key, which are nearly all there is, need no node of their own. */
function needsLook(key: string | number, item: unknown): boolean {
  if (typeof item === "string" || typeof item === "boolean" || item === null) {
    return key === "__proto__" || key === "constructor" || key === "prototype";
  }
  return true;
}

/** The place of a node as `metadata.served_models[3].at`; cut in the middle where it is long. */
function pathOf(node: Node): string {
  const parts: string[] = [];
  for (let at: Node | undefined = node; at?.parent !== undefined; at = at.parent) {
    parts.unshift(typeof at.key === "number" ? `[${at.key}]` : `.${at.key}`);
  }
  const shown = parts.length > 12 ? [...parts.slice(0, 6), "…", ...parts.slice(-3)] : parts;
  return shown.join("").replace(/^\./, "");
}

/** What the tests about the tree need to know of a source file, read by a real parser. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import {
  type CallExpression,
  type Directive,
  type Expression,
  type MemberExpression,
  parseSync,
  type Statement,
  Visitor,
} from "oxc-parser";

export const repositoryRoot: string = join(import.meta.dirname, "../..");

export interface SourceFile {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  /** Every specifier that is imported or re-exported: static, dynamic, type-only and `require`. */
  readonly imports: readonly string[];
  readonly functions: readonly FunctionSpan[];
  /** Names that are called, constructed or read from: `fetch()`, `Date.now`, `new Date()`, `new Date(…)`. */
  readonly uses: readonly string[];
  /** True when the file holds nothing but re-exports. */
  readonly isBarrel: boolean;
  /** The title of every `it` or `test` that runs; null where it does not begin with text written there. */
  readonly testTitles: readonly (string | null)[];
}

export interface FunctionSpan {
  readonly line: number;
  readonly lines: number;
}

/** All TypeScript files under a folder of the repository, parsed. */
export function readSourceFiles(folder: string): SourceFile[] {
  return readdirSync(join(repositoryRoot, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) =>
      parseSource(relative(repositoryRoot, path).replaceAll("\\", "/"), readFileSync(path, "utf8")),
    );
}

/** @throws Error when the text is not TypeScript. */
export function parseSource(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text);
  const problem = parsed.errors[0];
  if (problem !== undefined) throw new Error(`${path}: ${problem.message}`);
  const found = { imports: [] as string[], functions: [] as FunctionSpan[], uses: [] as string[] };
  const testTitles: (string | null)[] = [];
  new Visitor({
    ImportDeclaration: (node) => void found.imports.push(node.source.value),
    ExportAllDeclaration: (node) => void found.imports.push(node.source.value),
    ExportNamedDeclaration: (node) => void (node.source && found.imports.push(node.source.value)),
    ImportExpression: (node) => void found.imports.push(stringValue(node.source) ?? "(computed)"),
    TSImportType: (node) => void found.imports.push(node.source.value),
    TSExternalModuleReference: (node) => void found.imports.push(node.expression.value),
    FunctionDeclaration: (node) => void found.functions.push(span(text, node)),
    FunctionExpression: (node) => void found.functions.push(span(text, node)),
    ArrowFunctionExpression: (node) => void found.functions.push(span(text, node)),
    MemberExpression: (node) => {
      if (node.object.type === "Identifier") found.uses.push(`${node.object.name}.${propertyName(node)}`);
    },
    NewExpression: (node) => {
      if (node.callee.type !== "Identifier") return;
      found.uses.push(`new ${node.callee.name}(${node.arguments.length > 0 ? "…" : ""})`);
    },
    CallExpression: (node) => {
      if (node.callee.type === "Identifier") found.uses.push(`${node.callee.name}()`);
      if (isCallOf(node, "require")) found.imports.push(stringValue(node.arguments[0]) ?? "(computed)");
      if (isTest(node)) testTitles.push(titleOf(node));
    },
  }).visit(parsed.program);
  const statements = parsed.program.body;
  return {
    ...found,
    path,
    text,
    testTitles,
    lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
    isBarrel: statements.length > 0 && statements.every(isReExport),
  };
}

function isReExport(node: Statement | Directive): boolean {
  return (
    node.type === "ExportAllDeclaration" || (node.type === "ExportNamedDeclaration" && node.source !== null)
  );
}

function isCallOf(node: CallExpression, name: string): boolean {
  return node.callee.type === "Identifier" && node.callee.name === name;
}

/** `it(…)`, `test(…)`, and the outer call of `it.each(…)(…)`; not what is skipped. */
function isTest(node: CallExpression): boolean {
  const names = new Set(["it", "test"]);
  const notTests = new Set(["each", "for", "skip", "todo", "skipIf", "runIf", "extend"]);
  let callee: Expression = node.callee;
  if (callee.type === "CallExpression" || callee.type === "TaggedTemplateExpression") {
    callee = callee.type === "CallExpression" ? callee.callee : callee.tag;
  } else if (callee.type === "MemberExpression" && notTests.has(propertyName(callee))) {
    return false;
  }
  while (callee.type === "MemberExpression") callee = callee.object;
  return callee.type === "Identifier" && names.has(callee.name);
}

function propertyName(node: MemberExpression): string {
  return !node.computed && node.property.type === "Identifier" ? node.property.name : "[]";
}

function titleOf(node: CallExpression): string | null {
  return stringValue(node.arguments[0]);
}

/** The text of a string literal, or how a template literal begins. */
function stringValue(node: CallExpression["arguments"][number] | undefined): string | null {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral") return node.quasis[0]?.value.raw ?? null;
  return null;
}

function span(text: string, node: { start: number; end: number }): FunctionSpan {
  const lineOf = (offset: number): number => text.slice(0, offset).split("\n").length;
  const line = lineOf(node.start);
  return { line, lines: lineOf(node.end) - line + 1 };
}

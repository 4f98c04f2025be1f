import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  coreImpurities,
  coreVariables,
  foreignImports,
  missingDialectFiles,
  oversized,
  strayBarrels,
  strayProviderSdks,
  upwardImports,
} from "./support/house-rules.js";
import { parseSource, readSourceFiles, repositoryRoot } from "./support/source-file.js";

const tree = readSourceFiles("src");

/** A made-up file, to show that a rule sees what it forbids. */
const file = (path: string, text: string) => [parseSource(path, text)];

describe("the walls of the tree", () => {
  it("TRE-1 lets imports point down the list of folders only", () => {
    expect(upwardImports(file("src/core/a.ts", 'import type { B } from "../workflows/b.js";'))).toHaveLength(
      1,
    );
    expect(
      upwardImports(file("src/worker/a.ts", 'export const a = () => import("../client/b.js");')),
    ).toHaveLength(1);
    expect(upwardImports(file("src/core/a.ts", 'export * from "../index.js";'))).toHaveLength(1);
    expect(upwardImports(file("src/connection/a.cts", 'import b = require("../cli/b.js");'))).toHaveLength(1);
    expect(
      upwardImports(file("src/cli/a.ts", 'import "../core/b.js"; import "./c.js"; import "node:fs";')),
    ).toEqual([]);
    expect(upwardImports(tree)).toEqual([]);
  });

  it("TRE-2 keeps core free of node modules, packages, clock, random and host globals", () => {
    for (const text of [
      'import { readFileSync } from "node:fs";',
      'import { z } from "zod";',
      "export const now = () => Date.now();",
      "export const today = () => new Date();",
      "export const dice = () => Math.random();",
      'export const bytes = () => Buffer.from("a");',
      'export const page = () => fetch("/");',
    ]) {
      expect(coreImpurities(file("src/core/a.ts", text)), text).toHaveLength(1);
    }
    const pure =
      'import { sha256 } from "@noble/hashes/sha2.js"; export const day = (at: string) => new Date(at);';
    expect(coreImpurities(file("src/core/a.ts", pure))).toEqual([]);
    expect(coreImpurities(tree)).toEqual([]);
  });

  it("TRE-361 keeps core free of variables of a module", () => {
    expect(coreVariables(file("src/core/a.ts", "let last = 0;\nexport let next = 1;"))).toHaveLength(2);
    expect(coreVariables(file("src/core/a.ts", "function a() {\n  let b = 0;\n}"))).toEqual([]);
    expect(coreVariables(tree)).toEqual([]);
  });

  it("TRE-3 lets only Temporal's workflow packages into the workflows", () => {
    expect(foreignImports(file("src/workflows/a.ts", 'import { z } from "zod";'))).toHaveLength(1);
    expect(foreignImports(file("src/workflows/a.ts", 'import "node:crypto";'))).toHaveLength(1);
    expect(foreignImports(tree)).toEqual([]);
  });

  it("TRE-4 lets nothing but a provider's own adapter import its SDK", () => {
    expect(strayProviderSdks(file("src/cli/a.ts", 'export const a = () => import("openai");'))).toHaveLength(
      1,
    );
    expect(strayProviderSdks(file("src/providers/google.ts", 'import "@anthropic-ai/sdk";'))).toHaveLength(1);
    expect(strayProviderSdks(file("src/providers/anthropic.ts", 'import "@anthropic-ai/sdk";'))).toEqual([]);
    expect(strayProviderSdks(tree)).toEqual([]);
  });

  it("TRE-5 gives every dialect the same files", () => {
    const lonely = file("src/core/dialects/klingon/wire.ts", "export {};");
    expect(missingDialectFiles(lonely)).toHaveLength(6);
    expect(missingDialectFiles(tree)).toEqual([]);
  });

  it("TRE-6 keeps files within 350 lines, functions within 50 and entry points within 25", () => {
    const statement = "  work();\n";
    expect(oversized(file("src/core/a.ts", "\n".repeat(351)))).toHaveLength(1);
    expect(
      oversized(file("src/core/a.ts", `export function a() {\n${statement.repeat(49)}}\n`)),
    ).toHaveLength(1);
    expect(oversized(file("src/core/a.ts", `export function a() {\n${statement.repeat(48)}}\n`))).toEqual([]);
    expect(oversized(file("src/index.ts", 'export * from "./a.js";\n'.repeat(26)))).toHaveLength(1);
    expect(oversized(tree)).toEqual([]);
  });

  it("TRE-7 has no barrel but the entry points of the package", () => {
    expect(strayBarrels(file("src/core/media/index.ts", 'export { a } from "./a.js";'))).toHaveLength(1);
    expect(strayBarrels(file("src/core/index.ts", 'export { a } from "./a.js";'))).toEqual([]);
    expect(strayBarrels(tree)).toEqual([]);
  });
});

describe("the dependencies", () => {
  const lock: { packages: Record<string, { version?: string; resolved?: string }> } = JSON.parse(
    readFileSync(join(repositoryRoot, "package-lock.json"), "utf8"),
  );
  const installed = (pattern: RegExp) => Object.entries(lock.packages).filter(([path]) => pattern.test(path));

  it("TRE-8 hold every Temporal package at one version and protobufjs 8 where they all find it", () => {
    const versions = installed(/(^|\/)node_modules\/@temporalio\/[^/]+$/).map(([, { version }]) => version);
    expect(versions.length).toBeGreaterThan(5);
    expect(new Set(versions).size).toBe(1);
    expect(lock.packages["node_modules/protobufjs"]?.version).toMatch(/^8\./);
    expect(installed(/@temporalio\/.*node_modules\/(protobufjs|@temporalio)(\/|$)/)).toEqual([]);
  });

  it("TRE-9 name no download address in the lock file, so that any registry serves", () => {
    expect(Object.keys(lock.packages).length).toBeGreaterThan(50);
    expect(installed(/./).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "./support/source-file.js";

/** What a conversation may bring into the sandbox: Temporal's workflow side with what it needs, our workflows and the core. */
const allowed =
  /^\.\/(dist\/(workflows|core)\/|dist\/connection\/payload-converter\.cjs$|node_modules\/(@temporalio\/(workflow|common)|nexus-rpc|long|ms)\/)/;

/** KiB of code, without its source map. Every worker reads it at its start; a validator library alone is 230 to 460. */
const budget = 1_050;

describe("the workflow bundle", () => {
  const bundle = readFileSync(join(repositoryRoot, "dist/workflow-bundle.js"), "utf8");
  const code = bundle.slice(0, bundle.lastIndexOf("//# sourceMappingURL="));
  const modules = [...code.matchAll(/^\/\*\*\*\/ "(\.\/[^"]+)"/gm)].map(([, path]) => path ?? "");

  it("TRE-13 holds the workflows, the core and Temporal's own code, and nothing else", () => {
    expect(modules).toContain("./dist/workflows/conversation.js");
    expect(modules).toContain("./dist/connection/payload-converter.cjs");
    expect(modules.filter((path) => !allowed.test(path))).toEqual([]);
  });

  it("TRE-360 loads the core once in a thread, and all that may hold a conversation's state for each", () => {
    const [, preload = ""] = /preloadModules = function preloadModules\(\) \{([^}]*)\}/.exec(code) ?? [];
    const shared = [...preload.matchAll(/"(\.\/[^"]+)"\);/g)].map(([, path]) => path ?? "");
    const core = modules.filter((path) => path.startsWith("./dist/core/"));
    expect(shared.length).toBeGreaterThan(50);
    expect(shared.toSorted()).toEqual(core.toSorted());
  });

  it("TRE-14 stays within its size", () => {
    const size = Math.ceil(Buffer.byteLength(code) / 1024);
    expect(size).toBeGreaterThan(400);
    expect(size).toBeLessThanOrEqual(budget);
  });

  it("TRE-306 has a source map that names the sources as they are in the repository, without their texts", () => {
    const [, encoded = ""] = bundle.slice(code.length).split("base64,");
    const map = JSON.parse(Buffer.from(encoded, "base64").toString()) as Record<string, unknown>;
    expect(map.sources).toContain("src/core/conversation/state.ts");
    expect((map.sources as string[]).filter((source) => /^\/|\.build/.test(source))).toEqual([]);
    expect(map).not.toHaveProperty("sourcesContent");
  });
});

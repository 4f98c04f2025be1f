import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadEnvFile } from "../../src/connection/env-file.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-env-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the .env of a folder", () => {
  it("CON-12 adds what the environment does not have, and tells the names that it added", () => {
    writeFileSync(join(folder, ".env"), "# keys\nANTHROPIC_API_KEY='from file'\nHOLDFAST_TASK_QUEUE=file\n");
    const env: NodeJS.ProcessEnv = { HOLDFAST_TASK_QUEUE: "environment" };
    expect(loadEnvFile(folder, env)).toEqual({ path: join(folder, ".env"), names: ["ANTHROPIC_API_KEY"] });
    expect(env).toEqual({ ANTHROPIC_API_KEY: "from file", HOLDFAST_TASK_QUEUE: "environment" });
  });

  it("CON-12 is not needed, and one that cannot be read is named", () => {
    expect(loadEnvFile(folder, {})).toBeNull();
    mkdirSync(join(folder, ".env"));
    expect(() => loadEnvFile(folder, {})).toThrow(/\.env cannot be read .*remove it/);
  });
});

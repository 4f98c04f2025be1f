import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "./support/source-file.js";

const folder = mkdtempSync(join(tmpdir(), "holdfast-gate-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** One file of a vitest report, with a test of each status. */
const ran = (...statuses: readonly string[]) => ({
  name: "a.test.ts",
  status: statuses.includes("failed") ? "failed" : "passed",
  assertionResults: statuses.map((status) => ({ status, fullName: `a ${status} test` })),
});

function summary(report: unknown): { lastLine: string | undefined; output: string; code: number | null } {
  const path = join(folder, "report.json");
  writeFileSync(path, JSON.stringify(report));
  const { stdout, status } = spawnSync(process.execPath, ["scripts/summarise-tests.mjs", path], {
    cwd: repositoryRoot,
    encoding: "utf8",
  });
  return { lastLine: stdout.trimEnd().split("\n").at(-1), output: stdout, code: status };
}

describe("the gate's summary", () => {
  it("TRE-21 ends with the counts of vitest's report and passes only when something ran and nothing failed", () => {
    const green = summary({ success: true, testResults: [ran("passed", "passed"), ran("passed")] });
    expect(green).toMatchObject({ lastLine: "3 passed, 0 failed", code: 0 });
    const red = summary({ success: false, testResults: [ran("passed", "failed")] });
    expect(red).toMatchObject({ lastLine: "1 passed, 1 failed", code: 1 });
    const crashed = summary({ success: false, testResults: [ran("passed")] });
    expect(crashed).toMatchObject({ lastLine: "1 passed, 0 failed", code: 1 });
    expect(summary({ success: true, testResults: [] })).toMatchObject({
      lastLine: "0 passed, 0 failed",
      code: 1,
    });
  });

  it("TRE-22 counts a test file that could not run as failed, and names what was skipped", () => {
    const broken = { name: "b.test.ts", status: "failed", assertionResults: [] };
    const result = summary({ success: false, testResults: [ran("passed", "skipped"), broken] });
    expect(result).toMatchObject({ lastLine: "1 passed, 1 failed, 1 skipped", code: 1 });
    expect(result.output).toContain("did not run: b.test.ts");
    expect(result.output).toContain("skipped: a skipped test");
  });
});

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  bundleWorkflowCode,
  DefaultLogger,
  Runtime,
  Worker,
  type WorkflowBundleOption,
} from "@temporalio/worker";
import { DeterminismViolationError } from "@temporalio/workflow";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { builtFile } from "../src/connection/built-file.js";
import { createDataConverter } from "../src/connection/data-converter.js";
import { DirectoryMediaStore } from "../src/media-stores/directory-media-store.js";
import { repositoryRoot } from "./support/source-file.js";

const folder = join(repositoryRoot, "test/histories");
const releases = readdirSync(folder);
const scenariosOf = (release: string): string[] =>
  readdirSync(join(folder, release)).flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -5)] : []));
const histories = releases.flatMap((release) => scenariosOf(release).map((name) => ({ release, name })));

const read = (release: string, name: string): string =>
  readFileSync(join(folder, release, `${name}.json`), "utf8");

const current = { codePath: builtFile("workflow-bundle.js") };
const payloadsOf = (release: string): string => join(folder, release, "payloads");

function replay(
  { release, name }: (typeof histories)[number],
  workflowBundle: WorkflowBundleOption = current,
  payloads: string = payloadsOf(release),
): Promise<void> {
  const dataConverter = createDataConverter(new DirectoryMediaStore(payloads));
  return Worker.runReplayHistory({ workflowBundle, dataConverter }, JSON.parse(read(release, name)), name);
}

describe("the recorded histories", () => {
  beforeAll(() => {
    // A history that does not replay is reported by the test, not by the worker as well.
    if (Runtime._instance === undefined)
      Runtime.install({
        logger: new DefaultLogger("ERROR", () => undefined),
        telemetryOptions: { logging: { filter: "OFF" } },
      });
  });

  it.each(histories)("WFL-80 of $release replays $name", async (history) => {
    await expect(replay(history)).resolves.toBeUndefined();
  });

  it("WFL-81 do not replay under a workflow with a step more", async () => {
    const changed = await bundleWorkflowCode({
      workflowsPath: join(repositoryRoot, "test/support/changed-workflow.ts"),
      payloadConverterPath: builtFile("connection/payload-converter.cjs"),
      logger: new DefaultLogger("ERROR"),
    });
    for (const history of histories.filter(({ name }) => name === "plain")) {
      await expect(replay(history, changed)).rejects.toThrow(DeterminismViolationError);
    }
  });

  it("WFL-81 do not replay without the payloads that lie outside of their events", async () => {
    const empty = mkdtempSync(join(tmpdir(), "holdfast-replay-"));
    onTestFinished(() => rmSync(empty, { recursive: true, force: true }));
    for (const history of histories.filter(({ name }) => name === "large-restored")) {
      await expect(replay(history, current, empty)).rejects.toThrow("is not in the payload store");
    }
  });

  it("WFL-82 name no process, no machine and no folder of one", () => {
    for (const { release, name } of histories) {
      const text = read(release, name);
      const payloads = [...text.matchAll(/"data": "([^"]+)"/g)].map(([, data = ""]) => atob(data));
      for (const part of [text, ...payloads]) {
        expect(part).not.toMatch(/holdfast-(client-)?\d+|\d@\w|127\.0\.0\.1|\/(home|root|Users)\//);
        expect(part.replaceAll("/tmp/holdfast-history/", "")).not.toMatch(/\/tmp\/|\\n {4}at /);
      }
    }
  });

  it("WFL-83 of a release that is out are not recorded anew unless told to", () => {
    const root = mkdtempSync(join(tmpdir(), "holdfast-released-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    cpSync(join(repositoryRoot, "package.json"), join(root, "package.json"));
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    writeFileSync(join(root, "CHANGELOG.md"), `# Changelog\n\n## [${version}] - 2026-12-01\n`);
    const script = join(repositoryRoot, "scripts/record-histories.mjs");
    const { status, stderr } = spawnSync(process.execPath, [script, "--root", root], { encoding: "utf8" });
    expect(status).toBe(3);
    expect(stderr).toMatch(/^Release \S+ is out .* --force\.\n$/);
  });
});

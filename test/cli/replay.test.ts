import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Agent } from "../../src/core/agent.js";
import { startShortRuns } from "../support/short-runs.js";
import { repositoryRoot } from "../support/source-file.js";
import { startTestStack } from "../support/stack.js";
import { type Outcome, runCommand } from "./run-command.js";

const recorded = (name: string): string => join(repositoryRoot, "test/histories/0.1.0", `${name}.json`);

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-replay-command-")));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

const replay = (source: string, ...more: readonly string[]): Promise<Outcome> =>
  runCommand(["replay", source, ...more], { cwd: folder });

describe("holdfast replay", () => {
  it("CMD-150 says of a recorded history that this build continues it as it began", async () => {
    const { code, stdout, stderr } = await replay(recorded("plain"));
    expect([code, stdout, stderr]).toEqual([0, `${recorded("plain")}: 1 run replayed, as recorded.\n`, ""]);
  });

  it("CMD-151 exits with 1 where it does not, and says in one line where", async () => {
    const history = JSON.parse(await readFile(recorded("plain"), "utf8"));
    const changed = JSON.stringify(history).replaceAll('"callModel"', '"callOracle"');
    await writeFile(join(folder, "changed.json"), changed);
    const { code, stdout } = await replay("changed.json", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      runs: 1,
      issues: [{ run: 1, issue: expect.stringContaining("ondeterminism") }],
    });
    expect((await replay("changed.json")).stdout).toMatch(/^changed\.json: run 1 does not replay: .+\n$/);
  });

  it("CMD-152 refuses a file that is no history, and a conversation that is not there", async () => {
    await writeFile(join(folder, "other.json"), "{}");
    expect(await replay("other.json")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not a workflow history"),
    });
  });

  it("CMD-153 replays every run of a live conversation", async () => {
    const stack = await startTestStack();
    const conversations = await stack.conversations();
    const session = await startShortRuns(conversations, { events: 30 }, { id: "many-runs" });
    for (const turnId of ["t1", "t2", "t3", "t4"]) await session.run(`Question of ${turnId}`, { turnId });
    const { code, stdout } = await runCommand(["replay", "many-runs"], { cwd: stack.folder });
    expect(stdout).toMatch(/^many-runs: [2-9] runs replayed, as recorded\.\n$/);
    expect(code).toBe(0);
    const unknown = await runCommand(["replay", "nobody"], { cwd: stack.folder });
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('There is no conversation "nobody"'),
    ]);
    await stack.stop();
  });

  it("CMD-400 replays a run whose history comes in pages above 4 MiB", async () => {
    const stack = await startTestStack({ tools: true, simulate: { contextTokens: 10_000_000 } });
    const conversations = await stack.conversations();
    // A hundred thousand characters each, in the history itself.
    const toolCalls = Array.from({ length: 12 }, () => ({ name: "look_long", arguments: {} }));
    stack.simulator.script({ reply: { toolCalls }, times: 4 }, { reply: { text: "Looked." } });
    const agent = new Agent({ model: "claude-haiku-4-5", tools: ["look_long"] });
    const session = await conversations.start(agent, { id: "long-run" });
    expect((await session.run("Look all of it up.")).output).toBe("Looked.");
    // A run of that size is followed by another one.
    await session.run("Thanks.");
    const { code, stdout, stderr } = await runCommand(["replay", "long-run"], { cwd: stack.folder });
    expect([code, stdout, stderr]).toEqual([0, "long-run: 2 runs replayed, as recorded.\n", ""]);
    await stack.stop();
  }, 120_000);
});

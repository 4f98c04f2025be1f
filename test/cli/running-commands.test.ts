import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAlive } from "../../src/connection/process-identity.js";
import { repositoryRoot } from "../support/source-file.js";
import { type Outcome, type RunningCommand, runCommand, startCommand } from "./run-command.js";

const MODEL = "claude-haiku-4-5";

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-running-")));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  runCommand(args, { cwd: folder, env });

interface DevAddresses {
  readonly address: string;
  readonly ui_url: string;
  readonly simulator_url: string | null;
  readonly pid: number;
}

/** A `holdfast dev` that is ready. */
async function startDev(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<RunningCommand> {
  const dev = startCommand(["dev", "--json", ...args], { cwd: folder, env });
  await dev.shows('"pid"');
  return dev;
}

const addresses = (dev: RunningCommand): DevAddresses => JSON.parse(dev.stdout());

describe("holdfast dev", () => {
  it("CMD-33 runs server, web page and worker until a signal, and leaves no process behind", async () => {
    await using dev = await startDev(["--simulate"]);
    const { address, ui_url, simulator_url, pid } = addresses(dev);
    expect(pid).toBe(dev.child.pid);
    expect((await fetch(ui_url)).status).toBe(200);
    for (const told of [address, ui_url, `simulated at ${simulator_url}`])
      expect(dev.stderr()).toContain(told);
    expect((await run(["send", "hello", "Hi.", "-m", MODEL])).stdout).toContain("“Hi.”");
    const { stdout } = await run(["doctor", "--json"]);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: "temporal server", ok: true }));
    const second = await run(["dev", "--simulate"]);
    expect([second.code, second.stderr]).toEqual([
      2,
      expect.stringMatching(/^holdfast: A Temporal server .*\n$/),
    ]);
    expect(await dev.stop("SIGTERM")).toBe(0);
    expect(existsSync(join(folder, ".holdfast/dev.json"))).toBe(false);
    await expect(fetch(ui_url)).rejects.toThrow();
    expect(isAlive(pid)).toBe(false);
  });

  it("CMD-34 keeps its conversations over a restart", async () => {
    await using first = await startDev(["--simulate"]);
    await run(["send", "kept", "One.", "-m", MODEL]);
    expect(await first.stop("SIGINT")).toBe(0);
    await using _second = await startDev(["--simulate"]);
    expect((await run(["send", "kept", "Two."])).stdout).toContain("question 2");
  });

  it("CMD-35 starts without a key, naming the variables and --simulate; a turn then fails with the missing one", async () => {
    await using dev = await startDev();
    expect(dev.stderr()).toMatch(
      /none can be called: set one of ANTHROPIC_API_KEY, .*, or start with --simulate\n/,
    );
    const { code, stderr } = await run(["send", "keyless", "Hi.", "-m", MODEL]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^holdfast: .*ANTHROPIC_API_KEY.*--simulate.*\n$/);
    const chat = await run(["chat", "--simulate"]);
    expect([chat.code, chat.stderr]).toEqual([2, expect.stringContaining("start that one with --simulate")]);
  });

  it("CMD-36 reads .env, and deploys the agents of a module", async () => {
    await writeFile(join(folder, ".env"), "ANTHROPIC_API_KEY=never-shown\n");
    await writeFile(
      join(folder, "agents.mjs"),
      `import { Agent } from ${JSON.stringify(join(repositoryRoot, "dist/index.js"))};
       export const agents = [new Agent({ name: "reviewer", model: "${MODEL}", instructions: "Be brief." })];`,
    );
    await using dev = await startDev(["agents.mjs"]);
    expect(dev.stderr()).toContain(`${join(folder, ".env")}: 1 variable read.`);
    expect(dev.stderr()).toContain("ANTHROPIC_API_KEY found");
    expect(dev.stderr()).not.toContain("never-shown");
    expect(dev.stderr()).toMatch(/agents +reviewer \(agents\.mjs\)/);
  });

  it("CMD-36 refuses a module that does not load or has no agent, in one line", async () => {
    await writeFile(join(folder, "broken.mjs"), "export default {");
    await writeFile(join(folder, "empty.mjs"), "export default 1;");
    const says = {
      "none.mjs": "does not exist",
      "broken.mjs": "does not load: SyntaxError",
      "empty.mjs": "exports no agent",
    };
    for (const [module, text] of Object.entries(says)) {
      const { code, stderr } = await run(["dev", module]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(new RegExp(`^holdfast: .*${text}.*\\n$`))]);
    }
  });
});

describe("holdfast worker", () => {
  it("CMD-39 works for the `holdfast dev` that runs here, simulates where that does, and ends after SIGTERM with 0", async () => {
    await using dev = await startDev(["--simulate"]);
    await using worker = startCommand(["worker"], { cwd: folder });
    await worker.shows("no provider is called");
    expect(worker.stderr()).toContain(`takes holdfast at ${addresses(dev).address}`);
    expect(worker.stderr()).toContain(`Simulated at ${addresses(dev).simulator_url}`);
    expect(await worker.stop("SIGTERM")).toBe(0);
    expect(worker.stderr()).toContain("has finished");
  });
});

describe("holdfast simulate", () => {
  it("CMD-40 serves the simulator, and prints where as settings or JSON, until a signal", async () => {
    await using simulate = startCommand(["simulate", "--json"], { cwd: folder });
    await simulate.shows("Ctrl-C stops it");
    const { url, base_urls } = JSON.parse(simulate.stdout());
    expect((await fetch(`${url}/_simulator/health`)).status).toBe(200);
    expect(base_urls.openai).toBe(`${url}/openai/v1`);
    const { port } = new URL(url);
    const taken = await run(["simulate", "--port", port]);
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringMatching(/^holdfast: .*\n$/)]);
    expect(await simulate.stop("SIGINT")).toBe(0);
    await using again = startCommand(["simulate", "--port", port], { cwd: folder });
    await again.shows("Ctrl-C stops it");
    expect(again.stdout()).toContain(`HOLDFAST_SIMULATOR_URL=${url}\nANTHROPIC_BASE_URL=${url}/anthropic\n`);
  });
});

describe("holdfast doctor", () => {
  it("CMD-41 lists what was found with a sign each and a remedy, and exits with 1 where something needed is missing", async () => {
    const fine = await run(["doctor"]);
    expect(fine.code).toBe(0);
    expect(fine.stdout).toMatch(/^✓ node +\d/m);
    expect(fine.stdout).toMatch(/^– providers +no key is set$/m);
    expect(fine.stdout).toMatch(/^→ providers: set one of ANTHROPIC_API_KEY/m);
    const broken = await run(["doctor", "--json"], { TEMPORAL_ADDRESS: "127.0.0.1:1" });
    expect(broken.code).toBe(1);
    expect(JSON.parse(broken.stdout)).toContainEqual(
      expect.objectContaining({ name: "temporal server", ok: false }),
    );
  });
});

describe("holdfast chat", () => {
  it("CMD-42 starts a server of its own where none is known, and takes messages and commands line by line", async () => {
    await writeFile(join(folder, "note.txt"), "A note.");
    const input =
      "Hello.\n\n/file note.txt\nWhat is attached?\n/model claude-opus-5-5\n/status\n/export out.json\n/nonsense\n/exit\nunread\n";
    const { code, stdout, stderr } = await runCommand(["chat", "talk", "--simulate"], { cwd: folder, input });
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n")).toEqual([
      expect.stringContaining("“Hello.”"),
      expect.stringMatching(/“What is attached\?”.*note\.txt/),
    ]);
    for (const told of [
      "starting a server",
      "talk on anthropic:claude-haiku-4-5",
      "simulated:",
      "claude-opus-5-5, 2 turns, 4 messages",
      "written to out.json",
      "There is no /nonsense here",
    ])
      expect(stderr).toContain(told);
    const { stdout: envelope } = await run(["inspect", "out.json", "--json"]);
    expect(JSON.parse(envelope)).toMatchObject({
      conversation_id: "talk",
      run_count: 2,
      model: "claude-opus-5-5",
    });
  });

  it("CMD-42 goes on after a mistake, which it tells in one line", async () => {
    const { code, stdout, stderr } = await runCommand(["chat", "--simulate"], {
      cwd: folder,
      input: "/file none.pdf\nRead it.\n/model gpt-6-luna\n",
    });
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("holdfast: The file none.pdf does not exist");
    expect(stderr).toMatch(/^holdfast: .*not supported yet/m);
  });
});

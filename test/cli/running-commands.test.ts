import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isAlive } from "../../src/connection/process-identity.js";
import { startSimulator } from "../../src/simulator/simulator.js";
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

  it("CMD-211 takes its ports again, so that a worker beside it goes on calling its simulator", async () => {
    await using first = await startDev(["--simulate"]);
    const { address, ui_url, simulator_url } = addresses(first);
    await using worker = startCommand(["worker"], { cwd: folder });
    await worker.shows("no provider is called");
    expect(await first.stop("SIGINT")).toBe(0);
    await using second = await startDev(["--simulate"]);
    expect(addresses(second)).toMatchObject({ address, ui_url, simulator_url });
    expect(await second.stop("SIGINT")).toBe(0);
    await using _squatter = await startSimulator({ port: Number(new URL(simulator_url ?? "").port) });
    await using third = await startDev(["--simulate"]);
    expect(addresses(third).address).toBe(address);
    expect(addresses(third).simulator_url).not.toBe(simulator_url);
  });

  it("CMD-35 starts without a key, naming the variables and --simulate; a turn then fails with the missing one", async () => {
    await using dev = await startDev();
    expect(dev.stderr()).toMatch(
      /none can be called: set one of ANTHROPIC_API_KEY, .*, or start with --simulate\n/,
    );
    expect(dev.stderr()).toMatch(/ try +holdfast dev --simulate, which needs no key\n/);
    const { code, stderr } = await run(["send", "keyless", "Hi.", "-m", MODEL]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^holdfast: .*ANTHROPIC_API_KEY .*\.env of `holdfast dev`.*--simulate.*\n$/);
    const chat = await run(["chat", "--simulate"]);
    expect([chat.code, chat.stderr]).toEqual([2, expect.stringContaining("start that one with --simulate")]);
  });

  it("CMD-36 reads .env, and deploys the agents of a module", async () => {
    await writeFile(join(folder, ".env"), "ANTHROPIC_API_KEY=never-shown\n");
    await writeFile(
      join(folder, "agents.mjs"),
      `import { Agent } from ${JSON.stringify(join(repositoryRoot, "dist/index.js"))};
       import { MemoryMediaStore } from ${JSON.stringify(join(repositoryRoot, "dist/media-stores/index.js"))};
       export const agents = [new Agent({ name: "reviewer", model: "${MODEL}", mediaStore: "archive" })];
       export const stores = { archive: new MemoryMediaStore() };`,
    );
    await using dev = await startDev(["agents.mjs"]);
    expect(dev.stderr()).toContain(`${join(folder, ".env")}: 1 variable read.`);
    expect(dev.stderr()).toContain("ANTHROPIC_API_KEY found");
    expect(dev.stderr()).not.toContain("never-shown");
    expect(dev.stderr()).toMatch(/agents +reviewer \(agents\.mjs\)/);
    expect(dev.stderr()).toMatch(/try +holdfast send hello "Who are you\?" --agent reviewer\n/);
    const other = await run(["send", "hello", "Hi.", "--agent", "viewer"]);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringMatching(/^holdfast: .* runs here has no agent "viewer", but reviewer: .*\n$/),
    ]);
  });

  it("CMD-130 goes on after a promise that a tool left behind, and ends in order after an exception, each said in one line", async () => {
    const module = `import { existsSync } from "node:fs";
import { Agent } from ${JSON.stringify(join(repositoryRoot, "dist/index.js"))};
const when = (file, act) => {
  const timer = setInterval(() => {
    if (!existsSync(file)) return;
    clearInterval(timer);
    act();
  }, 20);
};
when("reject", () => Promise.reject(new Error("left behind")));
when("throw", () => {
  throw new Error("thrown away");
});
export const agents = [new Agent({ name: "reviewer", model: "${MODEL}" })];
`;
    await writeFile(join(folder, "agents.mjs"), module);
    await using dev = await startDev(["--simulate", "agents.mjs"]);
    await writeFile(join(folder, "reject"), "");
    await dev.shows("left behind");
    expect((await run(["send", "hello", "Hi.", "-m", MODEL])).stdout).toContain("“Hi.”");
    await writeFile(join(folder, "throw"), "");
    expect(await dev.ended()).toBe(1);
    const said = dev.stderr().split("\n");
    expect(said.filter((line) => /left behind|thrown away/.test(line))).toEqual([
      expect.stringMatching(
        /^holdfast: a rejected promise was handled by nobody, .*: Error: left behind at .*agents\.mjs/,
      ),
      expect.stringMatching(
        /^holdfast: an exception was caught by nobody, .*: Error: thrown away at .*agents\.mjs/,
      ),
    ]);
  });

  it("CMD-36 refuses a module that does not load or has no agent, in one line", async () => {
    await writeFile(join(folder, "broken.mjs"), "export default {");
    await writeFile(join(folder, "empty.mjs"), "export default 1;");
    await writeFile(join(folder, "stores.mjs"), "export const stores = { archive: { get() {} } };");
    const says = {
      "none.mjs": "does not exist",
      "broken.mjs": "does not load: SyntaxError",
      "empty.mjs": "exports no agent",
      "stores.mjs": "stores.archive is no media store",
    };
    for (const [module, text] of Object.entries(says)) {
      const { code, stderr } = await run(["dev", module]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(new RegExp(`^holdfast: .*${text}.*\\n$`))]);
    }
  });
});

describe("beside one `holdfast dev`", () => {
  let dev: RunningCommand;
  let home: string;
  /** In its folder, which is not that of the single test. */
  const there = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
    runCommand(args, { cwd: home, env });

  beforeAll(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), "holdfast-beside-")));
    dev = startCommand(["dev", "--json", "--simulate", "--pace", "1200"], { cwd: home });
    await dev.shows('"pid"');
  });
  afterAll(async () => {
    await dev.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });

  it("CMD-50 refuses a port that another `holdfast dev` has, and leaves that one alone", async () => {
    const [, port = ""] = addresses(dev).address.split(":");
    const second = await run(["dev", "--simulate", "--port", port]);
    expect([second.code, second.stderr]).toEqual([
      2,
      expect.stringMatching(
        new RegExp(`^holdfast: Port ${port} of 127\\.0\\.0\\.1 is in use by process \\d+ .*--port\\.\\n$`),
      ),
    ]);
    const queue = await there(["temporal", "task-queue", "describe", "-t", "holdfast", "-o", "json"]);
    const identities = new Set(queue.stdout.match(/"holdfast-\d+"/g));
    expect([...identities]).toEqual([`"holdfast-${dev.child.pid}"`]);
  });

  it("CMD-51 makes the simulator take its time with --pace, and takes that with --simulate only", async () => {
    const begun = Date.now();
    expect((await there(["send", "slow", "Hi.", "-m", MODEL])).code).toBe(0);
    expect(Date.now() - begun).toBeGreaterThan(1_200);
    expect(await run(["dev", "--pace", "5"])).toEqual({
      code: 2,
      stdout: "",
      stderr: "holdfast: --pace is the simulator's: use it with --simulate.\n",
    });
  });

  it("CMD-52 `temporal` runs Temporal's own command at the server of the folder, with its exit code", async () => {
    expect((await there(["send", "by-hand", "Hi.", "-m", MODEL])).code).toBe(0);
    const query = ["workflow", "query", "--workflow-id", "by-hand", "--name", "status"];
    const status = await there(["temporal", ...query]);
    expect([status.code, status.stdout]).toEqual([0, expect.stringContaining('"run_count":1')]);
    expect((await there(["temporal", "no-such-command"])).code).toBe(1);
    expect((await there(["temporal", "workflow", "--help"])).stdout).toContain("temporal workflow");
    const elsewhere = await there(["temporal", ...query], { TEMPORAL_ADDRESS: "127.0.0.1:1" });
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining("127.0.0.1:1")]);
  });

  it("CMD-39 `worker` works for it, simulates where it does, and ends after SIGTERM with 0", async () => {
    await using worker = startCommand(["worker"], { cwd: home });
    await worker.shows("no provider is called");
    expect(worker.stderr()).toContain(`takes holdfast at ${addresses(dev).address}`);
    expect(worker.stderr()).toContain(`Simulated at ${addresses(dev).simulator_url}`);
    expect(await worker.stop("SIGTERM")).toBe(0);
    expect(worker.stderr()).toContain("has finished");
  });
});

describe("a server that is lost in the middle of an answer", () => {
  let home: string;
  let tail: RunningCommand;
  let chat: RunningCommand;
  const started: RunningCommand[] = [];

  const start = (...args: readonly string[]): RunningCommand => {
    const command = startCommand(args, { cwd: home });
    started.push(command);
    return command;
  };
  const startServer = async (...more: readonly string[]): Promise<RunningCommand> => {
    const dev = start("dev", "--json", "--simulate", ...more);
    await dev.shows('"pid"');
    return dev;
  };

  beforeAll(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), "holdfast-lost-")));
    const lost = await startServer("--pace", "20000");
    await runCommand(["send", "lost", "One.", "-m", MODEL, "--no-wait"], { cwd: home });
    tail = start("tail", "lost", "--json");
    await tail.shows('"type":"text"');
    chat = start("chat", "talk", "-m", MODEL);
    await chat.shows("/exit leaves");
    chat.child.stdin?.write("One?\n");
    await chat.shows("simulated: ");
    await lost.stop("SIGKILL");
    await tail.shows("Nobody answers");
    await chat.shows("The turn goes on without this chat: `holdfast show talk`");
    await startServer();
  }, 90_000);
  afterAll(async () => {
    await Promise.all(started.map((command) => command.stop("SIGKILL")));
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });

  it("CMD-123 is waited for by `tail`, which goes on with that turn", async () => {
    await tail.shows('"type":"end"');
    const frames = tail.stdout().trim().split("\n");
    expect(JSON.parse(frames.at(-1) ?? "")).toMatchObject({ state: "committed", attempt: 2 });
    expect(await tail.stop("SIGINT")).toBe(0);
  });

  it("CMD-212 lets a chat go on with its turn, and with the next one, when the server is back, wherever", async () => {
    await chat.shows("The server is back.");
    await chat.shows("question 1");
    chat.child.stdin?.write("Two?\n");
    await chat.shows("question 2");
    chat.child.stdin?.end("/exit\n");
    expect(await chat.ended()).toBe(0);
    expect(chat.stdout().match(/Answer to question/g)).toHaveLength(2);
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
    await using again = startCommand(["simulate", "--port", port, "--pace", "5"], { cwd: folder });
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
      "go on with another model, also of another provider",
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
      input: "/file none.pdf\nRead it.\n/model nonsense\n",
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining("“Read it.”")]);
    expect(stderr).toContain("holdfast: The file none.pdf does not exist");
    expect(stderr).toMatch(/^holdfast: .*[Uu]nknown model/m);
  });

  it("CMD-49 checks a file when it is attached, lists what is attached, and drops it", async () => {
    await writeFile(join(folder, "note.txt"), "A note.");
    await writeFile(join(folder, "song.mp3"), Buffer.from("fffb90640000000000000000", "hex"));
    const late = await run(["chat", "talk", "--simulate", "--file", "none.pdf"]);
    expect(late).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^holdfast: The file none\.pdf does not exist: .*\n$/),
    });
    const input = "/file none.pdf\n/file song.mp3\n/file note.txt\n/file\n/file -\nWhat is attached?\n";
    const { code, stdout, stderr } = await runCommand(["chat", "talk", "--simulate"], { cwd: folder, input });
    expect([code, stdout]).toEqual([0, expect.stringContaining("“What is attached?”")]);
    expect(stdout).not.toContain("note.txt");
    const said = stderr.split("\n").slice(2);
    expect(said).toEqual([
      expect.stringMatching(/^holdfast: The file none\.pdf does not exist/),
      expect.stringMatching(/^holdfast: claude-haiku-4-5 does not take song\.mp3 \(audio\/mpeg\): it takes /),
      "goes with the next message: note.txt; /file - drops it",
      "goes with the next message: note.txt; /file - drops it",
      "no file is attached; /file PATH attaches one",
      expect.stringContaining("simulated:"),
      "talk is kept in .holdfast/ of this folder: `holdfast chat talk --simulate` goes on with it.",
      "",
    ]);
  });

  it("CMD-320 ends in good order at a signal: its server is closed behind it, and what was said is there", async () => {
    const chat = startCommand(["chat", "talk", "--simulate"], { cwd: folder });
    await chat.shows("/exit leaves");
    expect(await chat.stop()).toBe(0);
    expect(chat.stderr()).toContain("is kept in");
  });

  it("CMD-49 keeps what was attached to a message that was not sent, as far as it can be sent", async () => {
    await writeFile(join(folder, "kept.txt"), "Kept.");
    await writeFile(join(folder, "gone.txt"), "Gone.");
    const chat = startCommand(["chat", "talk", "--simulate"], { cwd: folder });
    await chat.shows("/exit leaves");
    chat.child.stdin?.write("/file kept.txt\n/file gone.txt\n");
    await chat.shows("kept.txt, gone.txt; /file - drops them");
    await rm(join(folder, "gone.txt"));
    chat.child.stdin?.write("Read.\n");
    await chat.shows("goes with the next message: kept.txt; /file - drops it\n");
    chat.child.stdin?.end("Read.\n");
    await chat.shows("is kept in");
    expect(await chat.stop()).toBe(0);
    expect(chat.stderr()).toContain("holdfast: The file gone.txt does not exist");
    expect(chat.stdout()).toContain("kept.txt");
  });
});

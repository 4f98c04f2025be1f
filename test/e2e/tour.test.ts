import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contractPdf } from "../../src/cli/tour/contract-pdf.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { startSimulator } from "../../src/simulator/simulator.js";
import { repositoryRoot } from "../support/source-file.js";

const command = join(repositoryRoot, "dist/cli/main.js");

/** A tour that runs or has run, and what it has printed. */
class Tour {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  output = "";
  errors = "";

  constructor(cwd: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, [command, "tour", ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.errors += text;
    });
    this.child = child;
    this.ended = once(child, "close").then(([code]) => code as number | null);
  }

  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found !== null) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`The tour ended without ${pattern}: ${this.output}${this.errors}`);
      await delay(20);
    }
  }

  get folder(): string {
    return /folder +(\S+)/.exec(this.output)?.[1] ?? "none";
  }

  /** Its server by the folder in its arguments; its other processes by the numbers that it has printed. */
  get processesLeft(): readonly string[] {
    const { output, folder } = this;
    const pids = [
      ...(/processes (\d+) and (\d+)/.exec(output)?.slice(1) ?? []),
      /by process (\d+)/.exec(output)?.[1],
    ];
    return execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" })
      .split("\n")
      .filter((line) => line.includes(folder) || pids.includes(line.trim().split(" ")[0]));
  }

  async untilNothingIsLeft(): Promise<readonly string[]> {
    for (let tries = 0; tries < 100 && this.processesLeft.length > 0; tries += 1) await delay(50);
    return this.processesLeft;
  }
}

describe("the tour", () => {
  let folder: string;
  const tours: Tour[] = [];
  const start = (
    ...args: ConstructorParameters<typeof Tour> extends [string, ...infer R] ? R : never
  ): Tour => {
    const tour = new Tour(folder, ...args);
    tours.push(tour);
    return tour;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "holdfast-tour-test-"));
  });
  afterAll(async () => {
    for (const tour of tours) {
      tour.child.kill("SIGKILL");
      await tour.ended;
      if (tour.folder !== "none") rmSync(tour.folder, { recursive: true, force: true });
    }
    rmSync(folder, { recursive: true, force: true });
  });

  describe("with the simulator", () => {
    let tour: Tour;
    let status: number | null;

    beforeAll(async () => {
      tour = start([], {
        ANTHROPIC_API_KEY: "never-to-be-used",
        ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
        TEMPORAL_ADDRESS: "127.0.0.1:1",
        TEMPORAL_NAMESPACE: "elsewhere",
        HOLDFAST_TASK_QUEUE: "elsewhere",
        HOLDFAST_MEDIA_STORE: join(folder, "elsewhere"),
      });
      status = await tour.ended;
    });

    it("CMD-80 tells its five steps in at most 60 lines and exits with 0", () => {
      expect(tour.errors).toBe("");
      expect(status).toBe(0);
      expect(tour.output.match(/^\d {2}\S.*$/gm)).toHaveLength(5);
      expect(tour.output.split("\n").length).toBeLessThanOrEqual(60);
      expect(tour.output).toMatch(/web page +http:\/\/127\.0\.0\.1:\d+\n/);
      expect(tour.output).toMatch(/\d+\.\d s from the start of the command\s+to\s+the\s+first\s+token/);
    });

    it("CMD-81 kills the worker in the middle of an answer, which the other finishes: one copy, two calls", () => {
      const [, killed, left] = /SIGKILL +worker (\d+), .*; worker (\d+) is left/.exec(tour.output) ?? [];
      const workers = /processes (\d+) and (\d+)/.exec(tour.output)?.slice(1);
      expect([killed, left].sort()).toEqual(workers?.sort());
      expect(tour.output).toMatch(
        /recovered +first token \d+\.\d s after the SIGKILL, committed after \d+\.\d s/,
      );
      expect(tour.output).toMatch(/attempt 2 won; copies in the history: 1; calls of the provider: 2/);
    });

    it("CMD-82 goes on from the checkpoint in a new process under another model, and reports its size", () => {
      const text = readFileSync(join(tour.folder, "contract-review.json"), "utf8");
      const { metadata, model, messages } = parseEnvelope(text).envelope;
      expect(metadata).toMatchObject({
        run_count: 3,
        served_models: [
          { event: "start", model: "claude-haiku-4-5" },
          { event: "restore", model: "claude-opus-5-5", turn: 2 },
        ],
      });
      expect({ model, messages: messages.length }).toEqual({ model: "claude-opus-5-5", messages: 6 });
      expect(tour.output).toMatch(/restored +2 turns, schema 3, by process \d+; .*nothing to warn about/);
      const size = Buffer.byteLength(text).toLocaleString("en-US");
      expect(tour.output).toContain(`${size} bytes in 6 messages`);
      expect(tour.output).toContain(
        `document application/pdf, ${contractPdf().length.toLocaleString("en-US")} bytes`,
      );
    });

    it("CMD-83 leaves nothing behind but the contract and the checkpoint, whose path it prints", () => {
      expect(tour.processesLeft).toEqual([]);
      expect(readdirSync(tour.folder).sort()).toEqual(["contract-review.json", "contract.pdf"]);
      expect(tour.output).toContain(`npx holdfast inspect ${join(tour.folder, "contract-review.json")}\n`);
      expect(dirname(tour.folder)).toBe(tmpdir());
      expect(readdirSync(folder)).toEqual([]);
    });

    it("CMD-84 says that it is simulated, and uses no key, server or store that the environment names", () => {
      expect(tour.output).toContain("Simulated: no model is asked, no key is used.");
      expect(tour.output.match(/answer +\[simulated\] /g)).toHaveLength(4);
      expect(tour.output).not.toContain("127.0.0.1:1\n");
    });

    it("CMD-85 writes no colour where there is no terminal", () => {
      expect(tour.output).not.toContain("\u001b");
    });
  });

  it("CMD-86 asks the real service with --live, and keeps everything running until Ctrl-C with --keep", async () => {
    await using service = await startSimulator({ chunkDelayMs: 40 });
    service.script({ times: null, reply: { text: `The seller bears it. ${"And so on. ".repeat(20)}` } });
    const tour = start(["--live", "--keep"], {
      ANTHROPIC_API_KEY: "test",
      ANTHROPIC_BASE_URL: service.baseUrls.anthropic,
    });
    const [, page] = await tour.printed(/until Ctrl-C: (\S+)\n/);
    expect((await fetch(page ?? "")).status).toBe(200);
    expect(tour.processesLeft).not.toEqual([]);
    tour.child.kill("SIGINT");
    expect(await tour.ended).toBe(0);
    expect(tour.processesLeft).toEqual([]);
    expect(tour.output).toContain("The real service answers.");
    expect(tour.output).not.toMatch(/simulated/i);
    expect(service.calls).toHaveLength(4);
  }, 90_000);

  it("CMD-87 ends with one line and starts nothing when --live has no key", async () => {
    const tour = start(["--live"]);
    expect(await tour.ended).toBe(1);
    expect(tour.output).toBe("");
    expect(tour.errors).toMatch(/^holdfast: ANTHROPIC_API_KEY is not set: [^\n]+\n$/);
  });

  it("CMD-88 ends with one line, and with everything stopped, when a part of it fails or it is interrupted", async () => {
    const failed = start([], { HOLDFAST_TEMPORAL_CLI: join(folder, "no-such-file") });
    expect(await failed.ended).toBe(1);
    expect(failed.errors).toMatch(/^holdfast: HOLDFAST_TEMPORAL_CLI [^\n]+\n$/);

    const interrupted = start();
    await interrupted.printed(/SIGKILL/);
    interrupted.child.kill("SIGINT");
    expect(await interrupted.ended).toBe(1);
    expect(interrupted.errors).toBe("holdfast: Stopped before the end; nothing is left running.\n");
    expect(interrupted.processesLeft).toEqual([]);
  }, 90_000);

  it("CMD-89 leaves no process behind even when it is killed itself", async () => {
    const tour = start();
    await tour.printed(/answer +\[simulated\]/);
    expect(tour.processesLeft).toHaveLength(3);
    tour.child.kill("SIGKILL");
    await tour.ended;
    expect(await tour.untilNothingIsLeft()).toEqual([]);
  }, 90_000);

  it("CMD-90 attaches a contract that is the same every time, and the same that the examples attach", () => {
    expect(Buffer.from(contractPdf())).toEqual(readFileSync(join(repositoryRoot, "examples/contract.pdf")));
  });
});

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Agent } from "../../src/core/agent.js";
import { TurnInterruptedError } from "../../src/core/errors/errors.js";
import { startCommand } from "../cli/run-command.js";
import { repositoryRoot } from "../support/source-file.js";
import { startTestStack, type TestStack } from "../support/stack.js";

const run = promisify(execFile);
const examples = join(repositoryRoot, "examples");

describe("the examples", () => {
  let stack: TestStack;
  const tried = new Set<string>();

  beforeAll(async () => {
    stack = await startTestStack();
  });
  afterAll(() => stack.stop());

  /** What an example prints when it is started, as a reader would, in the folder of a running `holdfast dev`. */
  async function outputOf(name: string, ...args: readonly string[]): Promise<string> {
    tried.add(name);
    const { stdout, stderr } = await run(process.execPath, [join(examples, name), ...args], {
      cwd: stack.folder,
    });
    expect(stderr).toBe("");
    return stdout;
  }

  async function saved(path: string): Promise<unknown> {
    return JSON.parse(await readFile(join(stack.folder, path), "utf8"));
  }

  it("REC-20 saves after every turn, and resumes from the file in another process", async () => {
    const first = await outputOf("checkpoint-after-every-turn.ts");
    expect(first).toContain("one third on delivery");
    expect(first).toContain("The seller bears the risk");
    expect(first).toContain("checkpoints/contract-review.json holds 2 turns");
    expect(await saved("checkpoints/contract-review.json")).toMatchObject({ metadata: { run_count: 2 } });

    const second = await outputOf("resume-in-another-process.ts");
    expect(second).toContain("schema version 3\nturns so far: 2\n");
    expect(second).not.toContain("changed since the save");
    expect(second).toContain("Meyer Maschinen GmbH");
    expect(await saved("checkpoints/contract-review.json")).toMatchObject({ metadata: { run_count: 3 } });
  });

  it("REC-20 resends an interrupted turn in another process, and says so when it fails again", async () => {
    const path = join(stack.folder, "checkpoints/interrupted.json");
    await rm(path, { force: true });
    const session = await (await stack.conversations()).start(new Agent({ model: "claude-haiku-4-5" }));
    const question = "Is clause 6 valid?";
    const fault = { kind: "status", status: 400, message: "The line is down." } as const;
    stack.simulator.script({ match: { text: question }, fault, times: 2 });
    await expect(session.run(question)).rejects.toBeInstanceOf(TurnInterruptedError);
    await session.toJson({ path });
    await session.close();

    const again = await outputOf("resend-an-interrupted-turn.ts", path);
    expect(again).toMatch(/^\d{4}-\d\d-\d\dT\S+ provider\.\w+: .*The line is down\./);
    expect(again).toContain("Interrupted again: ");
    expect(await saved(path.slice(stack.folder.length))).toMatchObject({
      interrupted_turn: { message: question },
      metadata: { run_count: 0 },
    });

    expect(await outputOf("resend-an-interrupted-turn.ts", path)).toContain(`“${question}”`);
    expect(await saved(path.slice(stack.folder.length))).toMatchObject({
      interrupted_turn: null,
      metadata: { run_count: 1 },
    });
    expect(await outputOf("resend-an-interrupted-turn.ts", path)).toContain("nothing to send again");
  });

  it("OUT-1 gives an answer as data, as its example shows", async () => {
    const output = await outputOf("structured-output.ts");
    expect(output).toMatch(
      /^\[simulated\] .*, within 1 days, between buyer and seller\n\{ valid: true \}\n$/,
    );
  });

  it("REC-20 says what a save will write", async () => {
    const output = await outputOf("know-what-you-are-about-to-write.ts");
    const [, promised] = /^(\d+) bytes, 2 messages, 1 media$/m.exec(output) ?? [];
    const { size } = await stat(join(examples, "contract.pdf"));
    expect(output).toContain(`message 0: document application/pdf, ${size} bytes`);
    expect(output).toContain(`written: ${promised} bytes`);
  });

  it("REC-20 saves a clip without a store", async () => {
    const output = await outputOf("save-without-a-store.ts");
    expect(output.match(/I have before me clip\.wav, audio\/wav of 4,044 bytes/g)).toHaveLength(2);
    expect(output).toMatch(/^uploaded: clip\.wav as http\S+\/files\/\S+$/m);
    expect(output).toContain("media policy: inline");
    expect(output).toContain("to report: 0");
    const clip = await readFile(join(examples, "clip.wav"), "base64");
    expect(JSON.stringify(await saved("checkpoints/clip.json"))).toContain(clip);
  });

  it("REC-20 saves a contract with a store", async () => {
    const output = await outputOf("save-with-a-store.ts");
    const [, key = ""] = /^externalize: application\/pdf as ([0-9a-f]{64}\.pdf)$/m.exec(output) ?? [];
    const contract = await readFile(join(examples, "contract.pdf"));
    expect(await readFile(join(stack.folder, "checkpoints/media", key))).toEqual(contract);
    const review = JSON.stringify(await saved("checkpoints/stored-review.json"));
    expect(review).toContain(`"data":"$media:${key}"`);
    expect(review).not.toContain(contract.toString("base64"));
    const sizes = [...output.matchAll(/^(\w+): (\d+) bytes, reported as (\d+)$/gm)];
    expect(sizes.map(([, policy]) => policy)).toEqual(["externalize", "strip", "inline"]);
    for (const [, , written, reported] of sizes) expect(written).toBe(reported);
    expect(JSON.stringify(await saved("checkpoints/review-small.json"))).toContain("[application/pdf, ");
    expect(JSON.stringify(await saved("checkpoints/review-full.json"))).toContain(
      contract.toString("base64"),
    );
    expect(output).toContain("The seller bears the risk");
    expect(output).toContain("could not be put back: 0");
  });

  it("REC-20 continues a saved conversation under another model", async () => {
    const output = await outputOf("continue-under-another-model.ts");
    expect(output).toContain("this text stands in for claude-opus-5-5");
    expect(output).toContain("restore under claude-opus-5-5");
  });

  it("REC-20 continues a live conversation on another model, in place", async () => {
    const output = await outputOf("continue-a-live-session.ts");
    expect(output).toMatch(
      /openai \{\s+event: 'rebind',\s+provider: 'anthropic',\s+model: 'claude-haiku-4-5'/,
    );
    expect(output).toContain("claude-haiku-4-5: [simulated] Answer to question 2");
  });

  it("REC-20 restores a conversation under another provider, and says what did not cross", async () => {
    const output = await outputOf("restore-under-another-provider.ts");
    expect(output).toContain("converted from anthropic");
    expect(output).toMatch(/gpt-6-luna: \[simulated\] Answer to question 2.*contract\.pdf/);
  });

  it("REC-21 streams a turn to a browser, to a late reader too, and answers a bad request with one line", async () => {
    tried.add("http-server-sent-events");
    const server = spawn(process.execPath, [join(examples, "http-server-sent-events/server.ts")], {
      cwd: stack.folder,
      env: { ...process.env, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(server, "exit");
    try {
      const [line] = await once(server.stdout.setEncoding("utf8"), "data");
      const url = String(line).trim();
      const page = await (await fetch(url)).text();
      expect(page).toContain("new EventSource(");

      const accepted = await fetch(`${url}/chat/reader`, {
        method: "POST",
        body: JSON.stringify({ message: "Who are you?" }),
      });
      expect(accepted.status).toBe(202);
      const { turn } = (await accepted.json()) as { readonly turn: string };
      const live = await eventsOf(`${url}/chat/reader/${turn}`);
      expect(live.types).toEqual(["attempt", "text", "end"]);
      expect(live.text).toContain("[simulated] Answer to question 1, “Who are you?”.");
      expect(await eventsOf(`${url}/chat/reader/${turn}`)).toEqual(live);

      const refused = await fetch(`${url}/chat/reader`, { method: "POST", body: '{"message":""}' });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toEqual({ error: expect.stringMatching(/^The message is empty: .*\.$/) });
      expect((await fetch(`${url}/chat/nobody/1`)).ok).toBe(false);
    } finally {
      server.kill("SIGTERM");
      await exited;
    }
    expect(server.exitCode).toBe(0);
  });

  it("TOL-42 run tools that a module exports with its agent, on a worker that deploys the module", async () => {
    tried.add("order-desk");
    await using parts = new AsyncDisposableStack();
    const desk = await startTestStack({ workers: 0 });
    parts.defer(() => desk.stop());
    const module = join(examples, "order-desk/tools.ts");
    const worker = parts.use(startCommand(["worker", module], { cwd: desk.folder }));
    await worker.shows("Tools: ");
    expect(worker.stderr()).toContain("Tools: cancel_order, order_status, refund.");
    await worker.shows("Simulated at");
    const { stdout } = await run(process.execPath, [join(examples, "order-desk/ask.ts")], {
      cwd: desk.folder,
    });
    expect(stdout).toContain('calls order_status({"order":"A-17"})\n  {"state":"packed","parcels":2}\n');
    expect(stdout).toMatch(/order_status answered .*packed.*\n1 tool call, 2 calls of the model/);
  });

  it("WRK-10 asks a conversation from a workflow of one's own, on a worker of one's own", async () => {
    tried.add("beside-your-own-workflows");
    const { address, namespace } = stack.stack.server;
    const folder = join(examples, "beside-your-own-workflows");
    const env = { ...stack.stack.workerEnv, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
    const options = { cwd: stack.folder, env };
    const worker = spawn(process.execPath, [join(folder, "worker.ts")], {
      ...options,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const exited = once(worker, "exit");
    try {
      await once(worker.stdout, "data");
      const { stdout } = await run(process.execPath, [join(folder, "client.ts"), "meyer"], options);
      expect(stdout).toContain("Summarise this contract");
      expect(stdout).toContain("Answer to question 2, “What should be negotiated?”");
      expect(stdout).toContain("review-meyer holds 2 turns");
    } finally {
      worker.kill("SIGTERM");
      await exited;
    }
    expect(worker.exitCode).toBe(0);
  }, 60_000);

  it("REC-20 are all tried here", async () => {
    const present = await readdir(examples, { withFileTypes: true });
    const runnable = present
      .filter((entry) => entry.isDirectory() || entry.name.endsWith(".ts"))
      .map(({ name }) => name);
    expect([...tried].sort()).toEqual(runnable.sort());
  });
});

/** The kinds of events in the order in which they first came, and the answer's text. */
async function eventsOf(url: string): Promise<{ readonly types: readonly string[]; readonly text: string }> {
  const response = await fetch(url);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const events = (await response.text())
    .trim()
    .split("\n\n")
    .map((event) => /^event: (\w+)\ndata: (.*)$/.exec(event) ?? []);
  const text = events.filter(([, type]) => type === "text").map(([, , data]) => JSON.parse(data ?? "").text);
  return { types: [...new Set(events.map(([, type]) => type ?? ""))], text: text.join("") };
}

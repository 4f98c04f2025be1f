import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { repositoryRoot } from "../support/source-file.js";

const suite = join(repositoryRoot, "bench/suite");
/** The suite is plain JavaScript. */
const load = async (path: string) => import(pathToFileURL(join(repositoryRoot, "bench", path)).href);
const folder = mkdtempSync(join(tmpdir(), "holdfast-suite-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** An adapter whose turns answer, throw or never end, as the message says. */
const ADAPTER = `
import { markStart, serveAdapter } from ${JSON.stringify(pathToFileURL(join(suite, "serve-adapter.mjs")).href)};
const mark = markStart();
mark("imported");
let turns = 0;
await serveAdapter(mark, {
  async open() {},
  async turn(_conversation, turn, text) {
    console.log("not for the protocol");
    if (text === "throw") throw new Error("no such thing\\nand more");
    if (text === "hang") await new Promise(() => setInterval(() => {}, 1000));
    turns++;
    return turn + ": " + text;
  },
  async history() { return turns; },
  async completed() { return null; },
});
`;

async function startAdapter() {
  const { AdapterProcess } = await load("suite/adapter-process.mjs");
  const file = join(folder, "adapter.mjs");
  writeFileSync(file, ADAPTER);
  return AdapterProcess.start({ file, cwd: folder, env: process.env, log: join(folder, "adapter.log") });
}

describe("the benchmark suite", () => {
  it("BEN-1 has a description and an adapter for every system, and pinned packages that any registry serves", () => {
    const peers = join(repositoryRoot, "bench/peers");
    const names = readdirSync(peers);
    expect(names).toEqual(
      expect.arrayContaining(["bare", "holdfast", "temporal-minimal", "temporal-transcript"]),
    );
    for (const name of [...names.map((peer) => join("peers", peer)), "charts"]) {
      const has = (file: string) => existsSync(join(repositoryRoot, "bench", name, file));
      if (name !== "charts") expect([name, has("peer.mjs"), has("adapter.mjs")]).toEqual([name, true, true]);
      expect([name, has("package-lock.json")]).toEqual([name, has("package.json")]);
      if (!has("package.json")) continue;
      const read = (file: string) =>
        JSON.parse(readFileSync(join(repositoryRoot, "bench", name, file), "utf8"));
      expect(
        Object.values(read("package.json").dependencies).filter((version) => !/^\d/.test(`${version}`)),
      ).toEqual([]);
      const locked: { resolved?: string }[] = Object.values(read("package-lock.json").packages);
      expect([name, locked.filter(({ resolved }) => resolved !== undefined)]).toEqual([name, []]);
    }
  });

  it("BEN-2 asks a system in a process of its own, and hears of its errors and of its end in one line", async () => {
    const adapter = await startAdapter();
    expect(Object.keys(adapter.marks)).toEqual(["started", "imported", "ready"]);
    expect(adapter.spawned).toBeLessThan(adapter.marks.started);
    const { times } = await adapter.ask("turns", { conversation: "c", from: 1, texts: ["one", "two"] });
    expect(times).toHaveLength(2);
    expect(times[1][0]).toBeGreaterThanOrEqual(times[0][1]);
    expect(await adapter.ask("history", { conversation: "c" })).toMatchObject({ value: 2 });
    expect(await adapter.ask("completed", { conversation: "c", turn: "t-1" })).toMatchObject({ value: null });
    const thrown = adapter.ask("turns", { conversation: "c", from: 3, texts: ["throw"] });
    await expect(thrown).rejects.toThrow(/^no such thing$/);
    const hanging = adapter.ask("turns", { conversation: "c", from: 4, texts: ["hang"] });
    const ended = expect(hanging).rejects.toThrow("the process ended (SIGKILL)");
    adapter.kill();
    await ended;
    await expect(adapter.ask("history", { conversation: "c" })).rejects.toThrow("the process has ended");
  });

  it("BEN-3 takes minimum, median and 95 % by nearest rank", async () => {
    const { quantile, summary } = await load("suite/statistics.mjs");
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(quantile(hundred, 0.95)).toBe(95);
    expect(summary([5, 1.234, 3])).toEqual({ n: 3, min: 1.23, median: 3, p95: 5 });
  });

  it("BEN-4 leaves a system that fails out of a measure from then on, says why, and goes on with the rest", async () => {
    const { Bench } = await load("suite/bench.mjs");
    const said: string[] = [];
    const bench = new Bench({
      systems: [],
      options: {},
      say: (line: string) => said.push(line),
      provider: { stop() {} },
    });
    const rounds: string[] = [];
    const left = await bench.interleave(
      "turns",
      [{ name: "one" }, { name: "two" }],
      2,
      async ({ name }: { name: string }, round: number) => {
        rounds.push(`${name} ${round}`);
        if (name === "one") throw new Error("out of room\nat a place");
      },
    );
    await bench.stop();
    expect(rounds).toEqual(["one 0", "two 0", "two 1"]);
    expect(left).toEqual([{ name: "two" }]);
    expect(bench.results).toEqual({ turns: { one: { error: "out of room" } } });
    expect(said).toEqual(["  turns, one: out of room"]);
  });

  it("BEN-5 counts the calls and sees when each came", async () => {
    const { startProvider, messageOf, MODEL, REPLY } = await load("suite/provider.mjs");
    const { now } = await load("suite/clock.mjs");
    expect([messageOf("c", 1).length, REPLY.length]).toEqual([200, 400]);
    const provider = await startProvider();
    let replies = 0;
    provider.onReplied(() => replies++);
    const began = now();
    const text = messageOf("c", 1);
    const response = await fetch(`${provider.env.BENCH_PROVIDER_URL}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: text }] }),
    });
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
    const ended = now();
    expect(choices[0]?.message.content).toBe(REPLY);
    expect(provider.callsOf(text)).toBe(1);
    expect(provider.callsOf(messageOf("c", 2))).toBe(0);
    expect(provider.seen).toHaveLength(1);
    expect(provider.seen[0]).toBeGreaterThan(began);
    expect(provider.seen[0]).toBeLessThan(ended);
    await expect.poll(() => replies).toBe(1);
    await provider.stop();
  });
});

import { mkdir, mkdtemp, readdir, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Agent } from "../../src/core/agent.js";
import { startTestStack } from "../support/stack.js";
import { type Outcome, type RunningCommand, runCommand, startCommand } from "./run-command.js";

const MODEL = "claude-haiku-4-5";
const LONG_AGO = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-gc-command-")));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

const run = (args: readonly string[]): Promise<Outcome> => runCommand(args, { cwd: folder });

/** Runs a command that has to succeed. */
async function ok(...args: readonly string[]): Promise<Outcome> {
  const outcome = await run(args);
  expect([outcome.code, outcome.stderr.match(/^holdfast: (?!.*simulated).*/m)]).toEqual([0, null]);
  return outcome;
}

async function startDev(): Promise<RunningCommand> {
  const dev = startCommand(["dev", "--json", "--simulate"], { cwd: folder });
  await dev.shows('"pid"');
  return dev;
}

async function blobs(): Promise<readonly string[]> {
  const names = await readdir(join(folder, ".holdfast/media"));
  return names.filter((name) => /^[0-9a-f]{64}\./.test(name)).sort();
}

async function ageAll(): Promise<void> {
  for (const name of await blobs()) await utimes(join(folder, ".holdfast/media", name), LONG_AGO, LONG_AGO);
}

interface Report {
  readonly deleted: boolean;
  readonly garbage: readonly { readonly key: string }[];
  readonly scanned: Readonly<Record<string, number>>;
}
const reportOf = ({ stdout }: Outcome): Report => JSON.parse(stdout);

describe("holdfast gc", () => {
  it("CMD-110 lists what nothing needs, deletes it when told, and leaves all conversations whole", async () => {
    await using _dev = await startDev();
    for (const name of ["open", "closed", "replaced"])
      await writeFile(join(folder, `${name}.txt`), `The ${name} text.`);
    await ok("send", "open", "Read it.", "-m", MODEL, "-f", "open.txt");
    await ok("send", "closed", "Read it.", "-m", MODEL, "-f", "closed.txt");
    await ok("close", "closed");
    const before = await ok("export", "closed");
    const stray = join(folder, ".holdfast/media", `${"0".repeat(64)}.txt`);
    await writeFile(stray, "Nobody needs this.");
    expect(reportOf(await ok("gc", "--json"))).toMatchObject({ deleted: false, garbage: [] });
    await ageAll();
    const listed = await ok("gc");
    expect(listed.stdout).toMatch(/^BLOB +SIZE +PUT\n(.*\n)*0{64}\.txt +18 B +20/);
    expect(listed.stderr).toMatch(/read 1 open conversation, 1 closed one and 0 named envelopes\./);
    expect(listed.stderr).toMatch(/Nothing was deleted; --delete does it\./);
    const found = reportOf(await ok("gc", "--json"));
    const there = await blobs();
    expect(found.garbage.map(({ key }) => key)).toContain(`${"0".repeat(64)}.txt`);
    expect(reportOf(await ok("gc", "--json", "--older-than", "7d")).garbage).toEqual([]);
    const deleted = reportOf(await ok("gc", "--json", "--delete"));
    expect(deleted).toEqual({ ...found, deleted: true });
    const gone = new Set(found.garbage.map(({ key }) => key));
    expect(await blobs()).toEqual(there.filter((name) => !gone.has(name)));
    expect((await ok("gc")).stderr).toContain("There is no garbage.");
    const messagesOf = (outcome: Outcome): unknown => JSON.parse(outcome.stdout).messages;
    expect(messagesOf(await ok("export", "closed"))).toEqual(messagesOf(before));
    expect((await ok("export", "open")).stdout).toContain("The open text.");
  });

  it("CMD-111 deletes nothing without a worker or a server, or with an envelope that cannot be read", async () => {
    const media = join(folder, ".holdfast/media");
    await using dev = await startDev();
    await writeFile(join(folder, "a.txt"), "Kept.");
    await ok("send", "open", "Read it.", "-m", MODEL, "-f", "a.txt");
    await writeFile(join(media, `${"0".repeat(64)}.txt`), "Nobody needs this.");
    await ageAll();
    const there = await blobs();
    await writeFile(join(folder, "broken.json"), "{");
    const broken = await run(["gc", "--delete", "broken.json"]);
    expect([broken.code, broken.stderr]).toEqual([
      3,
      expect.stringMatching(/^holdfast: .*broken\.json.* Nothing was deleted\.\n$/),
    ]);
    const odd = await run(["gc", "--delete", "--older-than", "soon"]);
    expect([odd.code, odd.stderr]).toEqual([
      2,
      'holdfast: --older-than takes a length of time such as 90s, 30m, 12h or 7d, not "soon".\n',
    ]);
    await dev.stop("SIGTERM");
    const away = await run(["gc", "--delete"]);
    expect([away.code, away.stderr]).toEqual([1, expect.stringMatching(/^holdfast: .*holdfast dev.*\n$/)]);
    expect(await blobs()).toEqual(there);
  });

  it("CMD-111 deletes nothing where a conversation is open and no worker answers for it", async () => {
    const stack = await startTestStack({ workers: 0 });
    try {
      const { mediaStore } = stack.stack.settings;
      const key = `${"0".repeat(64)}.txt`;
      await mkdir(mediaStore, { recursive: true });
      await writeFile(join(mediaStore, key), "Nobody needs this.");
      await utimes(join(mediaStore, key), LONG_AGO, LONG_AGO);
      const conversations = await stack.conversations();
      await conversations.start(new Agent({ model: MODEL }), { id: "unanswered" });
      // The server's list follows what has been started.
      while ((await conversations.list()).length === 0) await delay(50);
      const { code, stderr } = await runCommand(["gc", "--delete"], { cwd: stack.folder });
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^holdfast: No worker takes .*holdfast worker.* Nothing was deleted\.\n$/),
      ]);
      expect(await readdir(mediaStore)).toContain(key);
    } finally {
      await stack.stop();
    }
  });
});

import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pdfOf } from "../support/pdf.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import { type Outcome, runCommand } from "./run-command.js";

let stack: TestStack;
let pdf = Buffer.alloc(0);
beforeAll(async () => {
  stack = await startTestStack();
  pdf = Buffer.from(await pdfOf("Clause 4. The seller bears the risk."));
  await writeFile(join(stack.folder, "contract.pdf"), pdf);
  await done("send", "review", "Read.", "-m", "claude-haiku-4-5", "-f", "contract.pdf");
});
afterAll(() => stack.stop());

const run = (...args: readonly string[]): Promise<Outcome> => runCommand(args, { cwd: stack.folder });

/** Of a command that must work. */
async function done(...args: readonly string[]): Promise<Outcome> {
  const outcome = await run(...args);
  expect([outcome.code, outcome.stderr]).toEqual([0, outcome.stderr]);
  return outcome;
}

const sizeOf = async (name: string) => (await stat(join(stack.folder, name))).size;

describe("media on the command line", () => {
  it("CMD-140 export writes attachments as --media says, externalized ones into the --media-store; report knows each size before", async () => {
    const policies = [
      ["inline.json", "--media", "inline"],
      ["stored.json", "--media", "externalize", "--media-store", "stored"],
      ["auto.json", "--media-store", "stored", "--media-max-inline-bytes", "none"],
      ["small.json", "--media", "strip"],
    ] as const;
    for (const [file, ...options] of policies) await done("export", "review", file, ...options);
    expect(await readFile(join(stack.folder, "inline.json"), "utf8")).toContain(pdf.toString("base64"));
    const [key = ""] = await readdir(join(stack.folder, "stored"));
    expect(await readFile(join(stack.folder, "stored", key))).toEqual(pdf);
    expect(await readFile(join(stack.folder, "stored.json"), "utf8")).toContain(`$media:${key}`);
    expect(await sizeOf("auto.json")).toBe(await sizeOf("stored.json"));
    for (const [file, policy] of [
      ["inline.json", "inline"],
      ["stored.json", "externalize"],
      ["small.json", "strip"],
    ] as const) {
      for (const source of ["review", "inline.json"]) {
        const { stdout } = await done("report", source, "--media", policy, "--json");
        const report = JSON.parse(stdout);
        const media = policy === "strip" ? [] : [{ mime_type: "application/pdf" }];
        expect(report).toMatchObject({ media_count: media.length, media });
        // An inline file does not tell the attachment's name, which an externalized one has in its table.
        const untold = source === "review" || policy !== "externalize" ? 0 : ',"name":"contract.pdf"'.length;
        expect(report.size_bytes).toBe((await sizeOf(file)) - untold);
      }
      expect(JSON.parse((await done("report", file, "--json")).stdout).size_bytes).toBe(await sizeOf(file));
    }
    const table = (await done("report", "review")).stdout;
    expect(table).toMatch(/MESSAGE\s+KIND\s+TYPE\s+SIZE\n0\s+document\s+application\/pdf/);
  });

  it("CMD-141 import finds externalized attachments in the --media-store, and says what nobody has", async () => {
    const other = { env: { HOLDFAST_MEDIA_STORE: join(stack.folder, "other") } };
    const importing = (id: string, ...options: readonly string[]) =>
      runCommand(["import", "stored.json", "--id", id, ...options], { cwd: stack.folder, ...other });
    const lost = await importing("lost");
    expect([lost.code, lost.stderr]).toEqual([
      0,
      expect.stringMatching(/missing_blob: .*application\/pdf, \d+ bytes, no media store is named/),
    ]);
    const kept = await importing("kept", "--preserve-media");
    expect(kept.stderr).toContain("missing_blob");
    const found = await importing("found", "--media-store", "stored");
    expect([found.code, found.stderr]).toEqual([0, expect.not.stringContaining("missing_blob")]);
    const [key = ""] = await readdir(join(stack.folder, "stored"));
    expect(await readdir(join(stack.folder, "other"))).toContain(key);
  });

  it("CMD-143 send warns of an attachment that is lost; show, inspect and --json have the report", async () => {
    await writeFile(join(stack.folder, "lost.pdf"), await pdfOf("Clause 9."));
    const working = join(stack.folder, ".holdfast/media");
    const before = new Set(await readdir(working));
    await done("send", "loser", "Read.", "-m", "claude-haiku-4-5", "-f", "lost.pdf");
    const [key = ""] = (await readdir(working)).filter((name) => !before.has(name));
    await rm(join(working, key));
    const warning = /missing_blob: lost\.pdf \(message 0, application\/pdf, \d+ bytes/;
    const asked = await done("send", "loser", "And?", "--json");
    const told = [{ reason: "missing_blob", name: "lost.pdf" }];
    expect([asked.stderr, JSON.parse(asked.stdout).mediaReport]).toMatchObject([
      expect.stringMatching(warning),
      told,
    ]);
    expect((await done("show", "loser")).stdout).toContain("missing_blob: lost.pdf");
    expect((await done("export", "loser", "loser.json")).stderr).toMatch(warning);
    expect(JSON.parse((await done("inspect", "loser.json", "--json")).stdout).media_report).toMatchObject(
      told,
    );
  });

  it("CMD-190 export takes a store of the module that --module names, and says which names are nearly one", async () => {
    const module = join(stack.folder, "stores.mjs");
    const code =
      "const kept = [];\nexport const stores = { vault: { put: async (key) => { kept.push(key); console.error('vault has', key.slice(-4)); }, get: async () => undefined } };\n";
    await writeFile(module, code);
    const exporting = ["export", "review", "vault.json", "--module", "stores.mjs", "--media-store"];
    expect((await done(...exporting, "vault")).stderr).toContain("vault has .pdf");
    const near = await run(...exporting, "vualt");
    expect([near.code, near.stderr]).toEqual([2, expect.stringContaining("did you mean vault?")]);
  });

  it("CMD-144 inspect and report say where bytes are; inspect --media-store finds what is missing", async () => {
    await done("export", "review", "where.json", "--media", "externalize", "--media-store", "where");
    const [key = ""] = await readdir(join(stack.folder, "where"));
    expect((await done("report", "where.json")).stdout).toContain(`in a store: ${key}`);
    await rm(join(stack.folder, "where", key));
    const missing = await run("inspect", "where.json", "--media-store", "where");
    expect([missing.code, missing.stdout]).toEqual([
      1,
      expect.stringContaining(`in a store: ${key} (missing)`),
    ]);
  });

  it("CMD-142 refuses a policy, a limit and an externalize without a store in one line", async () => {
    for (const [options, words] of [
      [["--media", "all"], /--media.*auto.*inline.*externalize.*strip/],
      [["--media", "externalize"], /no|named.*--media-store/i],
      [["--media-max-inline-bytes", "8MB"], /--media-max-inline-bytes/],
    ] as const) {
      const { code, stderr } = await run("export", "review", "refused.json", ...options);
      expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
      expect(stderr.trim()).not.toContain("\n");
    }
    await expect(stat(join(stack.folder, "refused.json"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

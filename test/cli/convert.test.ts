import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { serialiseEnvelope } from "../../src/core/envelope/serialise-envelope.js";
import { sampleEnvelope } from "../support/envelope-samples.js";
import { type Outcome, runCommand } from "./run-command.js";

const thought = (text: string) => ({
  role: "assistant",
  content: [
    { type: "thinking", thinking: "Hm.", signature: "s" },
    { type: "text", text },
  ],
});
const toolCall = { role: "assistant", content: [{ type: "tool_use", id: "c:1", name: "look", input: {} }] };
const toolResult = {
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "c:1", content: "Found." }],
};
const sample = sampleEnvelope("anthropic", 3);
const messages = sample.messages.map((message, at) => (at % 2 === 1 ? thought(`Answer ${at}`) : message));
/** Nothing may be there: no server, and no key. */
const env = { TEMPORAL_ADDRESS: "127.0.0.1:1" };

let folder: string;
const run = (args: readonly string[], input?: string): Promise<Outcome> =>
  runCommand(args, { cwd: folder, env, ...(input === undefined ? {} : { input }) });
const write = (name: string, value: unknown): Promise<void> =>
  writeFile(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
const read = async (name: string) => parseEnvelope(await readFile(join(folder, name), "utf8")).envelope;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-convert-"));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  await write("review.json", serialiseEnvelope({ ...sample, messages }));
  await write("plain.json", serialiseEnvelope(sample));
  await write("broken.json", serialiseEnvelope({ ...sample, messages: [...messages.slice(0, 5), toolCall] }));
  await write("native.json", {
    system: "Be careful.",
    messages: [messages[0], toolCall, toolResult, thought("There.")],
  });
});

describe("holdfast convert", () => {
  it("CMD-60 prints the history of an envelope in another provider's format, and nothing else on stdout", async () => {
    const { code, stdout } = await run(["convert", "review.json", "--to", "gpt-6-luna"]);
    expect(code).toBe(0);
    const printed = JSON.parse(stdout);
    expect(Object.keys(printed)).toEqual([
      "messages",
      "system",
      "converted_from",
      "conversion_report",
      "attic",
    ]);
    expect(printed).toMatchObject({ system: null, converted_from: "anthropic" });
    expect(printed.messages).toHaveLength(6);
    expect(printed.messages[1]).toEqual({ role: "assistant", content: "Answer 1" });
    expect(printed.conversion_report).toHaveLength(3);
    expect(printed.attic).not.toEqual([]);
  });

  it("CMD-60 takes a provider's own history, from a file, a case or stdin, with its system text", async () => {
    const native = await readFile(join(folder, "native.json"), "utf8");
    await write("case.json", { from: "anthropic", to: "google", input: JSON.parse(native) });
    const [file, wrapped, piped] = await Promise.all([
      run(["convert", "native.json", "--from", "anthropic", "--to", "google", "--json"]),
      run(["convert", "case.json", "--from", "anthropic", "--to", "google", "--json"]),
      run(["convert", "-", "--from", "anthropic", "--to", "google", "--json"], native),
    ]);
    expect(JSON.parse(file.stdout)).toMatchObject({
      messages: [{ role: "user" }, { role: "model" }, { role: "user" }, { role: "model" }],
      system: "Be careful.",
    });
    expect([wrapped.stdout, piped.stdout]).toEqual([file.stdout, file.stdout]);
    const openai = await run(["convert", "native.json", "--from", "anthropic", "--to", "openai", "--json"]);
    const first = JSON.parse(openai.stdout).messages[0];
    expect(first).toEqual({ role: "developer", content: "Be careful." });
    await write("printed.json", file.stdout);
    const onwards = await run(["convert", "printed.json", "--from", "google", "--to", "google"]);
    expect(JSON.parse(onwards.stdout)).toMatchObject({
      ...JSON.parse(file.stdout),
      converted_from: null,
      conversion_report: [],
      attic: [],
    });
  });

  it("CMD-61 tells what did not cross, by kind, each with its place", async () => {
    const words = ["convert", "native.json", "--from", "anthropic", "--to", "gpt-6-luna"];
    const { stderr } = await run(words);
    expect(stderr).toBe(
      [
        "Not everything crossed as it was: 1 dropped.",
        "dropped",
        "  message 3  thinking  content[0] thinking",
        "",
      ].join("\n"),
    );
    expect((await run([...words, "--json"])).stderr).toBe("");
    const plain = await run(["convert", "plain.json", "--to", "gpt-6-luna"]);
    expect([plain.stderr, JSON.parse(plain.stdout).conversion_report]).toEqual(["", []]);
  });

  it("CMD-62 writes an envelope of the new provider, which converts back byte for byte", async () => {
    const there = await run(["convert", "review.json", "--to", "gpt-6-luna", "--out", "moved.json"]);
    expect([there.code, there.stdout]).toEqual([0, ""]);
    expect(there.stderr).toMatch(/^moved\.json: 6 messages for openai:gpt-6-luna\.\n/);
    expect(there.stderr).toContain("The agent's parameters (max_tokens) are the former provider's own");
    const moved = await read("moved.json");
    expect(moved).toMatchObject({
      provider: "openai",
      model: "gpt-6-luna",
      agent: { model: "gpt-6-luna", instructions: "You review contracts. Be brief.", params: {} },
      converted_from: "anthropic",
      turn_index: [{ to: 2 }, { to: 4 }, { to: 6 }],
    });
    expect(moved.metadata.served_models.at(-1)).toMatchObject({
      event: "restore",
      model: "gpt-6-luna",
      turn: 3,
      from: { provider: "anthropic", model: "claude-haiku-4-5" },
    });
    expect((await run(["inspect", "moved.json"])).code).toBe(0);
    const back = await run(["convert", "moved.json", "--to", "anthropic", "--out", "back.json", "--json"]);
    expect([JSON.parse(back.stdout).messages, back.stderr]).toEqual([messages, ""]);
    expect(await read("back.json")).toMatchObject({ model: "claude-haiku-4-5", messages });
  });

  it("CMD-62 makes an envelope around a bare history, and says where it lacks a model", async () => {
    const words = ["convert", "native.json", "--from", "anthropic", "--to", "openai", "--out", "bare.json"];
    expect((await run(words)).stderr).toContain("It names no model of openai yet");
    expect(await read("bare.json")).toMatchObject({
      provider: "openai",
      turn_index: [{ turn_id: "restored-1" }],
    });
    expect((await run([...words, "--model", "gpt-6-luna"])).stderr).not.toContain("no model");
    expect(await read("bare.json")).toMatchObject({ model: "gpt-6-luna", agent: null });
  });

  it("CMD-62 replaces no file that is something else, unless it is told to", async () => {
    await write("note.txt", "Mine.");
    const words = ["convert", "review.json", "--to", "gpt-6-luna", "--out", "note.txt"];
    const { code, stderr } = await run(words);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/exists and is no envelope: .*overwrite/)]);
    expect(await readFile(join(folder, "note.txt"), "utf8")).toBe("Mine.");
    expect((await run([...words, "--overwrite"])).code).toBe(0);
  });

  it.each([
    [["broken.json", "--to", "gpt-6-luna"], /ends inside a tool round: the call c:1 .*`holdfast fork --at`/],
    [["review.json", "--to", "gpt-6-luna", "--no-convert"], /conversion is turned off/],
    [
      ["native.json", "--to", "openai", "--from", "google"],
      /native\.json .* not valid for google: messages\[0\]/,
    ],
    [["native.json", "--to", "openai"], /not a Holdfast envelope.*--from/],
    [
      ["review.json", "--to", "openai", "--from", "anthropic"],
      /not a history of anthropic.*a Holdfast envelope/,
    ],
  ])("CMD-63 refuses with exit code 3, in one line: %j", async (words, says) => {
    const { code, stdout, stderr } = await run(["convert", ...words]);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(says);
    expect(stderr.trimEnd()).not.toContain("\n");
  });

  it("CMD-63 refuses a history in another encoding", async () => {
    const latin = Buffer.from('[{"role": "user", "content": "Vertr\u00e4ge"}]', "latin1");
    await writeFile(join(folder, "latin.json"), latin);
    const { code, stdout, stderr } = await run([
      "convert",
      "latin.json",
      "--from",
      "anthropic",
      "--to",
      "openai",
    ]);
    expect([code, stdout, stderr]).toEqual([3, "", expect.stringMatching(/latin\.json is not UTF-8/)]);
  });

  it("CMD-63 lets plain text through where conversion is turned off", async () => {
    const { code, stdout } = await run([
      "convert",
      "plain.json",
      "--to",
      "gemini-3.5-flash-lite",
      "--no-convert",
    ]);
    expect([code, JSON.parse(stdout).messages.length]).toEqual([0, 6]);
  });

  it.each([
    [["review.json"], /--to is missing/],
    [["review.json", "--to", "gtp-6"], /Unknown model "gtp-6"/],
    [["review.json", "--to", "gpt-6-luna", "--model", "gpt-6-sol"], /named twice/],
    [["review.json", "--to", "openai", "--overwrite"], /--overwrite needs --out/],
    [["review.json", "--to", "openai", "--out", "-"], /--out takes the name of a file, not -/],
    [["review.json", "--to", "openia"], /Unknown model "openia": did you mean openai\?/],
    [["none.json", "--to", "openai", "--from", "openai"], /The history none\.json does not exist/],
    [
      ["review.json", "--to", "openai", "--from", "klingon"],
      /--from is one of anthropic, openai, google, fireworks/,
    ],
  ])("CMD-64 says what is wrong with the call: %j", async (words, says) => {
    const { code, stdout, stderr } = await run(["convert", ...words]);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringMatching(says)]);
  });
});

describe("holdfast convert of a history whose files lie elsewhere", () => {
  const notes = "Clause 4: payment within 30 days.";
  const digest = createHash("sha256").update(notes).digest("hex");
  const marker = `$media:${digest}.txt`;
  const source = { type: "text", media_type: "text/plain", data: marker };
  const question = { role: "user", content: [{ type: "document", source, title: "notes.txt" }] };
  const entry = { mime_type: "text/plain", size_bytes: notes.length, ref: `${digest}.txt` };
  const named = (change = {}) =>
    serialiseEnvelope({
      ...sample,
      messages: [question, ...messages.slice(1)],
      media: { [digest]: { ...entry, ...change } },
    });
  const words = ["convert", "named.json", "--to", "gpt-6-luna"];

  async function inFolder(path: string): Promise<void> {
    await mkdir(join(folder, path), { recursive: true });
    await writeFile(join(folder, path, `${digest}.txt`), notes);
  }

  it("CMD-70 reads attached text from the store that is named, which stays as it was", async () => {
    await write("named.json", named());
    await inFolder("archive");
    for (const store of ["archive", join(folder, "archive")]) {
      const { code, stdout, stderr } = await run([...words, "--media-store", store]);
      expect(code).toBe(0);
      expect(JSON.stringify(JSON.parse(stdout).messages)).toContain(notes);
      expect(stderr).not.toContain("$media:");
    }
    expect(await readdir(join(folder, "archive"))).toEqual([`${digest}.txt`]);
    const again = ["convert", "-", "--from", "anthropic", "--to", "google", "--media-store", "archive"];
    expect((await run(again, JSON.stringify([question]))).stdout).toContain(notes);
  });

  it("CMD-70 reads it from the folder's own store and from the envelope's table, and names in one line what is nowhere", async () => {
    await write("named.json", named());
    const { code, stdout, stderr } = await run([...words, "--json"]);
    expect([code, JSON.parse(stdout).conversion_report[0].artefact]).toEqual([0, "media"]);
    expect(stderr).toMatch(
      new RegExp(
        `^holdfast: 1 text file cannot be read in .*\\.holdfast/media \\(\\${marker}\\): .*--media-store\\.\\n$`,
      ),
    );
    await write("named.json", named({ data: Buffer.from(notes).toString("base64") }));
    expect((await run(words)).stdout).toContain(notes);
    await write("named.json", named());
    await inFolder(".holdfast/media");
    const found = await run([...words, "--out", "moved.json", "--overwrite"]);
    expect([found.code, found.stderr]).toEqual([0, expect.not.stringContaining("cannot be read")]);
    expect(JSON.stringify(await read("moved.json"))).toContain(notes);
    await rm(join(folder, ".holdfast"), { recursive: true });
  });

  it.each([
    ["none", /The media store none does not exist: give the path of the folder/],
    ["named.json", /The media store named\.json is no folder/],
  ])("CMD-70 refuses a store that is no folder: %s", async (store, says) => {
    await write("named.json", named());
    const { code, stdout, stderr } = await run([...words, "--media-store", store]);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringMatching(says)]);
  });

  it("CMD-71 prints the bytes of media that come back from the attic", async () => {
    const pdf = Buffer.from("%PDF-1.7 a contract");
    const sha256 = createHash("sha256").update(pdf).digest("hex");
    const document = (data: string) => ({
      role: "user",
      content: [{ type: "document", source: { type: "base64", media_type: "application/pdf", data } }],
    });
    const inline = { ...sample, messages: [document(pdf.toString("base64")), ...messages.slice(1)] };
    await write("inline.json", serialiseEnvelope(inline));
    await run(["convert", "inline.json", "--to", "fireworks", "--out", "there.json"]);
    const there = await read("there.json");
    const data = pdf.toString("base64");
    const stored = JSON.stringify(there).replaceAll(data, `$media:${sha256}.pdf`);
    const media = { [sha256]: { mime_type: "application/pdf", size_bytes: pdf.length, data } };
    await write("there.json", serialiseEnvelope({ ...JSON.parse(stored), media }));
    const back = await run(["convert", "there.json", "--to", "anthropic"]);
    expect(JSON.parse(back.stdout).messages[0]).toEqual(document(data));
  });
});

describe("holdfast fork of a file", () => {
  it("CMD-65 writes the first turns under a new id, and needs no server", async () => {
    const { code, stdout, stderr } = await run(["fork", "review.json", "--at", "2", "-o", "two.json"]);
    expect([code, stdout]).toEqual([0, ""]);
    const id = /^(fork-[0-9a-f]{8}) has the first 2 turns of review\.json, in two\.json\.\n$/.exec(
      stderr,
    )?.[1];
    expect(await read("two.json")).toMatchObject({
      conversation_id: id,
      messages: messages.slice(0, 4),
      copied_from: { conversation_id: "contract-review", turn: 2 },
    });
    const words = ["fork", "review.json", "--at", "turn-1", "--id", "one", "--out", "one.json", "--json"];
    expect(JSON.parse((await run(words)).stdout)).toEqual({
      conversation_id: "one",
      run_count: 1,
      copied_from: { conversation_id: "contract-review", turn: 1 },
      file: "one.json",
    });
  });

  it("CMD-65 is the way on that a refused conversion names", async () => {
    expect((await run(["fork", "broken.json", "--at", "2", "--out", "mended.json"])).code).toBe(0);
    expect((await run(["convert", "mended.json", "--to", "gpt-6-luna"])).code).toBe(0);
  });

  it.each([
    [["review.json", "--out", "x.json"], 2, /--at is missing/],
    [["review.json", "--at", "4", "--out", "x.json"], 2, /3 committed turns/],
    [["review.json", "--at", "no-such", "--out", "x.json"], 2, /no turn "no-such"/],
    [["none.json", "--at", "1", "--out", "x.json"], 2, /none\.json does not exist/],
    [["review.json", "--at", "1"], 1, /does not answer/],
  ])("CMD-65 says what is wrong: %j", async (words, exit, says) => {
    const { code, stdout, stderr } = await run(["fork", ...words]);
    expect([code, stdout, stderr]).toEqual([exit, "", expect.stringMatching(says)]);
  });
});

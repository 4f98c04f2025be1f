import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pdfOf } from "../support/pdf.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import {
  type CommandOptions,
  MAIN,
  type Outcome,
  runCommand,
  runProcess,
  startCommand,
} from "./run-command.js";

const MODEL = "claude-haiku-4-5";
const LABEL = `simulated: the simulator answers in the place of ${MODEL}\n`;

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());
beforeEach(() => stack.simulator.reset());

const run = (args: readonly string[], options: Partial<CommandOptions> = {}): Promise<Outcome> =>
  runCommand(args, { cwd: stack.folder, ...options });

/** For what is the process's: what it leaves in its pipes and with which code it ends. */
const runAlone = (args: readonly string[], options: Partial<CommandOptions> = {}): Promise<Outcome> =>
  runProcess(args, { cwd: stack.folder, ...options });

/** Of a command that must work: its JSON. */
async function json(...args: readonly string[]): Promise<ReturnType<typeof JSON.parse>> {
  const { code, stdout, stderr } = await run([...args, "--json"]);
  expect([code, stderr.replace(LABEL, "")]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

/** A conversation of one turn. */
async function begin(id: string, answer = "Clause 4 is about payment."): Promise<void> {
  stack.simulator.script({ reply: { text: answer } });
  const { code } = await run(["send", id, "What is clause 4?", "--model", MODEL]);
  expect(code).toBe(0);
}

describe("holdfast send", () => {
  it("CMD-10 starts a conversation with --model, continues it without, and prints the answer alone on stdout", async () => {
    stack.simulator.script({ reply: { text: "One." } }, { reply: { text: "Two." } });
    const first = await runAlone(["send", "numbers", "Count.", "--model", MODEL, "-i", "Be brief."]);
    expect(first).toEqual({ code: 0, stdout: "One.\n", stderr: LABEL });
    expect((await run(["send", "numbers", "Go", "on."])).stdout).toBe("Two.\n");
    expect(stack.simulator.calls.map((call) => call.lastUserText)).toEqual(["Count.", "Go on."]);
    expect(stack.simulator.calls[1]?.body).toMatchObject({ model: MODEL });
    expect(JSON.stringify(stack.simulator.calls[1]?.body)).toContain("Be brief.");
  });

  it("CMD-10 starts a conversation under a new id where none is named, and tells it", async () => {
    const { code, stderr } = await run(["send", "Hello", "-m", MODEL]);
    const id = /^Conversation (chat-[0-9a-f]{8}) begins\.$/m.exec(stderr)?.[1] ?? "";
    expect(code).toBe(0);
    expect((await json("show", id)).run_count).toBe(1);
  });

  it("CMD-11 reads the message from stdin with -, and takes words that look like options after --", async () => {
    await begin("piped");
    await runAlone(["send", "piped", "-"], { input: "A message\nof two lines.\n" });
    await run(["send", "--id", "piped", "--", "--no-such", "option"]);
    const asked = stack.simulator.calls.map((call) => call.lastUserText);
    expect(asked.slice(1)).toEqual(["A message\nof two lines.\n", "--no-such option"]);
  });

  it("CMD-11 attaches every --file", async () => {
    await writeFile(join(stack.folder, "contract.pdf"), await pdfOf("Clause 4. The seller bears the risk."));
    await writeFile(join(stack.folder, "note.txt"), "A note.");
    const { code, stdout } = await run([
      "send",
      "with-files",
      "Read.",
      "-m",
      MODEL,
      "-f",
      "contract.pdf",
      "--file",
      "note.txt",
    ]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/contract\.pdf.*note\.txt/)]);
    const report = await json("report", "with-files");
    expect(report.media.map(({ mime_type }: { mime_type: string }) => mime_type)).toEqual([
      "application/pdf",
      "text/plain",
    ]);
  });

  it("CMD-12 gives the whole result with --json, and only the turn's id with --no-wait; a turn id runs once", async () => {
    await begin("results");
    stack.simulator.script({ reply: { text: "Once." } });
    const result = await json("send", "results", "Again?", "--turn-id", "t-2");
    expect(result).toMatchObject({
      conversationId: "results",
      turnId: "t-2",
      output: "Once.",
      simulated: true,
    });
    expect((await run(["send", "results", "Again?", "--turn-id", "t-2"])).stdout).toBe("Once.\n");
    expect(stack.simulator.calls).toHaveLength(2);
    const { stdout } = await run(["send", "results", "Later.", "--turn-id", "t-3", "--no-wait"]);
    expect(stdout).toBe("t-3\n");
    await expect.poll(async () => (await json("show", "results")).run_count).toBe(3);
  });

  it("CMD-46 refuses a --model that is not the conversation's, naming the rebind, and takes its own", async () => {
    await begin("bound");
    const other = await runAlone(["send", "bound", "And?", "-m", "claude-opus-5-5"]);
    expect(other).toEqual({
      code: 2,
      stdout: "",
      stderr: `holdfast: Conversation bound is on anthropic:${MODEL}: \`holdfast rebind bound claude-opus-5-5\` moves it, or leave --model out.\n`,
    });
    expect((await run(["send", "bound", "And?", "-m", `anthropic:${MODEL}`])).code).toBe(0);
    expect(stack.simulator.calls).toHaveLength(2);
  });

  it("CMD-47 refuses a message in the place of the id, and takes one alone beside a file", async () => {
    const words = ["Just a question?", "and", "more", "-m", MODEL];
    const { code, stderr } = await run(["send", ...words]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^holdfast: "Just a question\?" is no conversation's id: .*quote the message.*\n$/,
      ),
    ]);
    await writeFile(join(stack.folder, "note.txt"), "A note.");
    const beside = await run(["send", "What is attached?", "-f", "note.txt", "-m", MODEL]);
    expect([beside.code, beside.stdout]).toEqual([
      0,
      expect.stringMatching(/“What is attached\?”.*note\.txt/),
    ]);
  });

  it("CMD-48 says when a turn id has been used for another message", async () => {
    await begin("twice");
    const send = (text: string): Promise<Outcome> => run(["send", "twice", text, "--turn-id", "t-2"]);
    expect((await send("Again?")).stderr).toBe(LABEL);
    expect((await send("Again?")).stderr).toBe(LABEL);
    const { stdout, stderr } = await send("Something else?");
    expect(stdout).toContain("“Again?”");
    expect(stderr).toMatch(/^holdfast: Turn t-2 has ended already, with another message: .*\n/);
  });

  it("CMD-160 prints the JSON of an answer that fits --output-schema, and says in one line what is wrong with a schema", async () => {
    const schema = { type: "object", properties: { clause: { type: "integer" } }, required: ["clause"] };
    await writeFile(join(stack.folder, "clause.schema.json"), JSON.stringify(schema));
    const options = ["--model", MODEL, "--output-schema", "clause.schema.json"];
    stack.simulator.script(
      { reply: { text: '```json\n{"clause": 4}\n```' } },
      { reply: { text: '{"clause": 5}' } },
    );
    const first = await run(["send", "data", "Which clause?", ...options]);
    expect(first).toEqual({ code: 0, stdout: '{"clause":4}\n', stderr: LABEL });
    expect((await json("send", "data", "And then?", "--output-schema", "clause.schema.json")).data).toEqual({
      clause: 5,
    });
    await writeFile(join(stack.folder, "bad.schema.json"), '{"type": "strin"}');
    const bad = await run(["send", "data", "?", "--output-schema", "bad.schema.json"]);
    expect(bad).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/bad\.schema\.json: .*\/type/),
    });
    const none = await run(["send", "data", "?", "--output-schema", "none.json"]);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("none.json") });
    expect(`${bad.stderr}${none.stderr}`.trim().split("\n")).toHaveLength(2);
    expect(stack.simulator.calls).toHaveLength(2);
  });

  it.each([
    [
      "was cut at the model's limit",
      { text: "It begins so", finishReason: "length" },
      "It begins so\n",
      /was cut at/,
    ],
    ["is empty", { text: "" }, "\n", /answered nothing/],
  ] as const)("CMD-350 says beside an answer that it %s", async (_what, reply, stdout, remark) => {
    await begin("remarked");
    stack.simulator.script({ reply });
    const sent = await run(["send", "remarked", "Go on."]);
    expect(sent).toMatchObject({ code: 0, stdout, stderr: expect.stringMatching(remark) });
    const whole = await run(["send", "remarked", "And now?"]);
    expect(whole.stderr).not.toMatch(remark);
  });

  it("CMD-13 leaves the turn running when it is stopped, and says how to find it again", async () => {
    await begin("left");
    stack.simulator.script({ reply: { text: "A long answer." }, pace: { minimumReplyMs: 1_500 } });
    await using sending = startCommand(["send", "left", "And?", "--turn-id", "slow"], { cwd: stack.folder });
    await stack.simulator.waitForCall((call) => call.lastUserText === "And?");
    await sending.shows("simulated");
    expect(await sending.stop("SIGINT")).toBe(130);
    expect(sending.stderr()).toContain("The turn goes on without you: `holdfast show left`");
    await expect.poll(async () => (await json("show", "left")).run_count, { timeout: 10_000 }).toBe(2);
  });

  it("CMD-19 says of a closed conversation that it was closed, with exit code 3", async () => {
    await begin("ended");
    expect((await run(["close", "ended"])).code).toBe(0);
    for (const words of [
      ["send", "ended", "x"],
      ["rebind", "ended", "claude-opus-5-5"],
    ]) {
      const { code, stderr } = await runAlone(words);
      expect([code, stderr]).toEqual([
        3,
        expect.stringMatching(/^holdfast: Conversation ended was closed: .*\n$/),
      ]);
    }
  });
});

describe("holdfast show, list and report", () => {
  it("CMD-20 show tells the state and the turns: number, question, answer, model, tokens, what went wrong", async () => {
    await begin("shown", "Clause 4\nis about payment.");
    stack.simulator.script({ fault: { kind: "status", status: 400, message: "Nothing of that kind." } });
    expect((await run(["send", "shown", "And clause 5?"])).code).toBe(1);
    const { stdout } = await run(["show", "shown"]);
    expect(stdout).toMatch(/^shown · idle · anthropic:claude-haiku-4-5\n1 turn, 2 messages · /);
    expect(stdout).toContain("`holdfast resend shown` sends it again");
    expect(stdout).toMatch(
      /\n1 claude-haiku-4-5 · \d+ in, \d+ out · simulated · [0-9a-f-]{36}\n {2}› What is clause 4\?\n {2}‹ Clause 4 is about payment\.\n/,
    );
    expect(stdout).toMatch(
      /\n– claude-haiku-4-5 .*· interrupted\n {2}› And clause 5\?\n {2}! provider\..*Nothing of that kind/,
    );
    const all = await json("show", "shown", "--messages", "1");
    expect(all).toMatchObject({ run_count: 1, interrupted_turn: { message: "And clause 5?" } });
    expect(all.turns.map(({ state }: { state: string }) => state)).toEqual(["committed", "interrupted"]);
    expect(all.messages).toEqual([expect.objectContaining({ role: "assistant" })]);
  });

  it("CMD-391 show numbers the committed turns, as fork --at counts them, and fork offers the ids of those alone", async () => {
    await begin("numbered");
    stack.simulator.script({ fault: { kind: "status", status: 400 } });
    await run(["send", "numbered", "Refused?", "--turn-id", "refused"]);
    await run(["send", "numbered", "Third?", "--turn-id", "third"]);
    const shown = (await run(["show", "numbered"])).stdout;
    expect([...shown.matchAll(/^(\S+) \S+ .*\n {2}› (.*)$/gm)].map(([, ...parts]) => parts)).toEqual([
      ["1", "What is clause 4?"],
      ["–", "Refused?"],
      ["2", "Third?"],
    ]);
    expect((await json("show", "numbered")).turns.map(({ number }: { number: unknown }) => number)).toEqual([
      1,
      null,
      2,
    ]);
    await run(["fork", "numbered", "--at", "2", "--id", "numbered-2"]);
    expect((await run(["show", "numbered-2"])).stdout).toMatch(/\n2 \S+ .*third.*\n {2}› Third\?/);
    const { code, stderr } = await run(["fork", "numbered", "--at", "3"]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/a number from 0 to 2, or .*third\)\.\n$/)]);
    expect(stderr).not.toContain("refused");
  });

  it("CMD-20 show takes closed conversations, and as many turns as wanted", async () => {
    await begin("old");
    await run(["send", "old", "Second?"]);
    await run(["close", "old"]);
    const { stdout } = await run(["show", "old", "--turns", "1"]);
    expect(stdout).toMatch(/^old · closed · /);
    expect(stdout).toContain("… 1 earlier turn\n");
    expect(stdout).not.toContain("What is clause 4?");
  });

  it("CMD-21 list names the open conversations, and with --closed those that were closed", async () => {
    await begin("listed");
    await begin("listed-closed");
    await run(["close", "listed-closed"]);
    const open = (await json("list")).map(({ id }: { id: string }) => id);
    expect(open).toContain("listed");
    expect(open).not.toContain("listed-closed");
    expect(await json("list", "--closed")).toContainEqual(
      expect.objectContaining({ id: "listed-closed", state: "closed", run_count: 1 }),
    );
    expect((await run(["list"])).stdout).toMatch(
      /^ID +MODEL +STARTED +STATE\nlisted +anthropic:claude-haiku-4-5 .* idle$/m,
    );
  });

  it("CMD-22 report says the size that the save has, of a conversation and of a file", async () => {
    await begin("sized");
    expect((await run(["export", "sized", "sized.json"])).code).toBe(0);
    const { size } = await stat(join(stack.folder, "sized.json"));
    const [live, file] = await Promise.all([json("report", "sized"), json("report", "sized.json")]);
    expect(live).toEqual({ size_bytes: size, message_count: 2, media_count: 0, media: [] });
    expect(file).toEqual(live);
    expect((await run(["report", "sized"])).stdout).toContain(`(${size.toLocaleString("en-US")} bytes)`);
  });
});

describe("holdfast export, import and inspect", () => {
  it("CMD-23 export writes the same envelope to stdout and to a file, whose folder it makes", async () => {
    await begin("kept");
    const { stdout } = await runAlone(["export", "kept"]);
    expect(JSON.parse((await run(["export", "kept", "-"])).stdout)).toMatchObject({
      conversation_id: "kept",
    });
    expect(existsSync(join(stack.folder, "-"))).toBe(false);
    expect((await run(["export", "kept", "deep/er/kept.json"])).stdout).toBe("");
    const [printed, written] = [stdout, await readFile(join(stack.folder, "deep/er/kept.json"), "utf8")].map(
      (text) => JSON.parse(text),
    );
    expect(printed).toMatchObject({ conversation_id: "kept", metadata: { run_count: 1 } });
    expect({ ...written, saved_at: "", checksum: "" }).toEqual({ ...printed, saved_at: "", checksum: "" });
  });

  it("CMD-24 export replaces an earlier envelope of the conversation, and nothing else without --overwrite", async () => {
    await begin("own");
    await begin("other");
    await writeFile(join(stack.folder, "notes.txt"), "My notes.");
    expect((await run(["export", "own", "own.json"])).code).toBe(0);
    expect((await run(["export", "own", "own.json"])).code).toBe(0);
    const before = await readFile(join(stack.folder, "own.json"), "utf8");
    for (const words of [
      ["other", "own.json"],
      ["other", "--out", "notes.txt"],
    ]) {
      const { code, stderr } = await run(["export", ...words]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^holdfast: \S+ exists and is .*--overwrite\.\n$/),
      ]);
    }
    expect(await readFile(join(stack.folder, "own.json"), "utf8")).toBe(before);
    expect(await readFile(join(stack.folder, "notes.txt"), "utf8")).toBe("My notes.");
    expect((await run(["export", "other", "own.json", "--overwrite"])).code).toBe(0);
    expect(await json("inspect", "own.json")).toMatchObject({ conversation_id: "other" });
  });

  it("CMD-25 import goes on where the envelope ended, under its own id, another one, and another model", async () => {
    await begin("first");
    await run(["export", "first", "first.json"]);
    const imported = await json("import", "first.json", "--id", "copy", "-m", "claude-opus-5-5");
    expect(imported).toMatchObject({ conversation_id: "copy", run_count: 1, model: "claude-opus-5-5" });
    await run(["send", "copy", "And then?"]);
    expect(stack.simulator.calls.at(-1)).toMatchObject({
      model: "claude-opus-5-5",
      lastUserText: "And then?",
    });
    expect((await run(["import", "first.json"])).code).toBe(3);
    const replaced = await runAlone(["import", "-", "--replace"], {
      input: await readFile(join(stack.folder, "first.json"), "utf8"),
    });
    expect(replaced).toEqual({
      code: 0,
      stdout: "",
      stderr: "first goes on after 1 turn, on anthropic:claude-haiku-4-5.\n",
    });
  });

  it("CMD-26 inspect tells what an envelope holds, without a server", async () => {
    await begin("looked");
    await run(["export", "looked", "looked.json"]);
    const cwd = join(stack.folder, "looked.json");
    const { code, stdout } = await runCommand(["inspect", cwd, "--json"], { cwd: "/" });
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({
        valid: true,
        schema_version: 3,
        conversation_id: "looked",
        run_count: 1,
        checksum: "ok",
        interrupted_turn: null,
        unknown_keys: [],
        problems: [],
      }),
    ]);
    expect((await run(["inspect", "looked.json"])).stdout).toMatch(
      /^✓ looked\.json is a sound envelope\n {2}conversation {2}looked\n/,
    );
  });

  it("CMD-27 inspect --reseal gives an edited envelope its checksum, and leaves a damaged one alone", async () => {
    await begin("edited");
    const { stdout } = await run(["export", "edited"]);
    const path = join(stack.folder, "edited.json");
    await writeFile(path, JSON.stringify({ ...JSON.parse(stdout), note: "by hand" }));
    expect((await run(["inspect", "edited.json"])).code).toBe(3);
    expect((await run(["inspect", "edited.json", "--reseal", "--out", "sealed.json"])).code).toBe(0);
    expect((await run(["inspect", "edited.json"])).code).toBe(3);
    expect(await json("inspect", "sealed.json")).toMatchObject({ checksum: "ok", unknown_keys: ["note"] });
    const damaged = JSON.stringify({ ...JSON.parse(stdout), messages: "none" });
    await writeFile(path, damaged);
    const refused = await run(["inspect", "edited.json", "--reseal", "--json"]);
    expect([refused.code, refused.stdout]).toEqual([3, ""]);
    expect(await readFile(path, "utf8")).toBe(damaged);
    const told = await run(["inspect", "edited.json", "--json"]);
    expect(JSON.parse(told.stdout)).toMatchObject({ valid: false, error: "EnvelopeDamagedError" });
  });
});

describe("holdfast cancel, resend, rebind and close", () => {
  it("CMD-28 cancel stops the turn that runs; resend asks its question again", async () => {
    await begin("stopped");
    stack.simulator.script({ fault: { kind: "hang" }, times: 1 });
    await run(["send", "stopped", "Hang on.", "--no-wait", "--turn-id", "hanging"]);
    await stack.simulator.waitForCall((call) => call.lastUserText === "Hang on.");
    expect(await json("cancel", "stopped", "--reason", "Enough.")).toEqual({
      conversation_id: "stopped",
      turn_id: "hanging",
      state: "interrupted",
    });
    const tight = await run(["resend", "stopped", "--budget", "tokens=1"]);
    expect([tight.code, tight.stderr]).toEqual([
      1,
      expect.stringContaining("`holdfast resend ID --budget …`"),
    ]);
    stack.simulator.script({ reply: { text: "Here I am." } });
    const { turnId } = await json("resend", "stopped", "--no-wait");
    await expect.poll(async () => (await json("show", "stopped")).run_count).toBe(2);
    expect((await json("show", "stopped")).turns.at(-1)).toMatchObject({
      turn_id: turnId,
      answer: "Here I am.",
    });
    expect(stack.simulator.calls.at(-1)?.lastUserText).toBe("Hang on.");
    expect((await run(["resend", "stopped"])).code).toBe(2);
  });

  it("CMD-340 cancel where nothing runs says so in one line and is done, as where the turn has ended already", async () => {
    await begin("idle");
    await run(["send", "idle", "And clause 5?", "--turn-id", "t1"]);
    const nothing = "there is nothing to cancel.";
    expect(await run(["cancel", "idle"])).toEqual({
      code: 0,
      stdout: "",
      stderr: `Conversation idle has no turn running: ${nothing}\n`,
    });
    expect(await json("cancel", "idle")).toEqual({ conversation_id: "idle", turn_id: null, state: null });
    const ended = await run(["cancel", "idle", "t1"]);
    expect(ended).toMatchObject({
      code: 0,
      stderr: `Turn t1 of idle has ended already (committed): ${nothing}\n`,
    });
    expect(await json("cancel", "idle", "t1")).toMatchObject({ turn_id: "t1", state: "committed" });
  });

  it("CMD-29 rebind goes on with another model of the provider and keeps the instructions", async () => {
    await run(["send", "moved", "Hello.", "-m", MODEL, "-i", "Be brief."]);
    expect(await run(["rebind", "moved", "claude-opus-5-5"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "moved: anthropic:claude-haiku-4-5 → anthropic:claude-opus-5-5.\n",
    });
    await run(["send", "moved", "Still there?"]);
    const last = stack.simulator.calls.at(-1);
    expect(last?.model).toBe("claude-opus-5-5");
    expect(JSON.stringify(last?.body)).toContain("Be brief.");
  });

  it("CMD-30 close answers what waits, then closes; a closed one stays readable and may be closed again", async () => {
    await begin("closing");
    stack.simulator.script({ reply: { text: "The last word." }, pace: { minimumReplyMs: 400 } });
    await run(["send", "closing", "Anything else?", "--no-wait"]);
    const closed = await run(["close", "closing"]);
    expect(closed.code).toBe(0);
    expect(closed.stderr).toMatch(/closing is closed\.\n$/);
    expect((await run(["export", "closing"])).stdout).toContain("The last word.");
    expect((await run(["close", "closing"])).stderr).toBe("closing is closed already.\n");
  });
});

describe("where a command looks", () => {
  it("CMD-9 finds the `holdfast dev` of a parent folder", async () => {
    await begin("from-below");
    const below = join(stack.folder, "a/b");
    await mkdir(below, { recursive: true });
    expect((await run(["show", "from-below"], { cwd: below })).code).toBe(0);
  });

  it("CMD-9 reads .env of the folder", async () => {
    const elsewhere = join(stack.folder, "elsewhere");
    await mkdir(elsewhere, { recursive: true });
    await writeFile(join(elsewhere, ".env"), "TEMPORAL_ADDRESS=127.0.0.1:1\n");
    const { code, stderr } = await run(["list"], { cwd: elsewhere });
    expect([code, stderr]).toEqual([1, expect.stringContaining("does not answer at 127.0.0.1:1")]);
  });
});

describe("completions", () => {
  const complete = async (...words: readonly string[]): Promise<readonly string[]> =>
    (await run(["complete", "--", ...words])).stdout.trimEnd().split("\n");

  it("CMD-37 offer commands, options, their values, files, and the ids of open conversations", async () => {
    await begin("complete-me");
    expect(await complete("se")).toEqual([expect.stringMatching(/^send\tsends one message/), ":4"]);
    expect(await complete("send", "comp")).toEqual(["complete-me", ":4"]);
    expect(await complete("send", "--on-busy", "")).toEqual(["queue", "reject", "interrupt", ":4"]);
    expect(await complete("send", "--no")).toEqual([expect.stringMatching(/^--no-wait\t/), ":4"]);
    expect(await complete("import", "")).toEqual([":0"]);
    expect(await complete("send", "x", "-f", "con")).toEqual([":0"]);
  });

  it("CMD-37 offer no ids where no server is known, and say nothing", async () => {
    expect(await runCommand(["complete", "--", "show", ""], { cwd: "/" })).toEqual({
      code: 0,
      stdout: ":4\n",
      stderr: "",
    });
  });

  it("CMD-38 come by a script for bash, zsh and fish that asks the command", async () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, stdout, stderr } = await run(["completion", shell]);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain("holdfast complete --");
    }
  });

  it("CMD-38 work in bash without further packages, and evaluate nothing that was typed", async () => {
    await begin("bash-me");
    const script = `
      holdfast() { ${JSON.stringify(process.execPath)} ${JSON.stringify(MAIN)} "$@"; }
      source <(holdfast completion bash)
      source <(holdfast completion bash)
      offers() { COMP_WORDS=(holdfast "$@"); COMP_CWORD=$#; _holdfast; echo "\${COMPREPLY[*]}"; }
      offers sho
      # Ids are offered where the server answers at once.
      until offers show bash | grep bash-me; do [ $((++tries)) -lt 20 ] || break; done
      offers send --m
      offers show '$(touch evaluated)' ''
    `;
    const { stdout, stderr } = await promisify(execFile)("bash", ["-c", script], { cwd: stack.folder });
    expect([stdout, stderr.replaceAll(/.*compopt.*\n/g, "")]).toEqual(["show\nbash-me\n--model\n\n", ""]);
    expect(existsSync(join(stack.folder, "evaluated"))).toBe(false);
  });

  it("CMD-37 offer no id that would mean more than itself on a command line", async () => {
    expect((await run(["send", "--id", "odd; id", "Hello.", "-m", MODEL])).code).toBe(0);
    expect(await complete("show", "odd")).toEqual([":4"]);
  });
});

describe("holdfast tail", () => {
  const lines = (text: string): ReturnType<typeof JSON.parse>[] =>
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));

  it("CMD-121 shows every turn from the one that runs on, until the conversation is closed", async () => {
    await begin("followed", "Before.");
    await using tail = startCommand(["tail", "followed"], { cwd: stack.folder });
    await tail.shows("Following followed");
    // The first one lasts until the follower's own connection stands.
    const lasting = { reply: { text: "One." }, pace: { minimumReplyMs: 1_000 } };
    stack.simulator.script(lasting, { reply: { text: "Two." } });
    for (const message of ["First", "Second"]) await run(["send", "followed", message]);
    stack.simulator.script({ fault: { kind: "status", status: 400, message: "No." } });
    expect((await runAlone(["send", "followed", "Third"])).code).toBe(1);
    await tail.shows("interrupted (provider.");
    expect(tail.stdout()).toBe("One.\nTwo.\n");
    expect(await tail.stop("SIGINT")).toBe(0);
    await run(["close", "followed"]);
    expect(await run(["tail", "followed"])).toMatchObject({ code: 0, stdout: "" });
  });

  it("CMD-121 prints the frames of a turn as lines of JSON, and ends with it", async () => {
    await begin("as-json", "Clause 4 is about payment.");
    const [turn] = (await json("show", "as-json")).turns;
    const { code, stdout, stderr } = await run(["tail", "as-json", "--turn", turn.turn_id, "--json"]);
    expect([code, stderr]).toEqual([0, ""]);
    const shown = lines(stdout);
    expect(shown.at(0)).toMatchObject({ turn: turn.turn_id, attempt: 1, seq: 0, type: "attempt" });
    expect(shown.at(-1)).toMatchObject({ type: "end", state: "committed" });
    expect(shown.map(({ text }) => text ?? "").join("")).toBe("Clause 4 is about payment.");
  });

  it("CMD-122 fails in one line for a conversation or a turn that is not there", async () => {
    await begin("there");
    expect(await run(["tail", "not-there"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^holdfast: There is no conversation "not-there": .+\n$/),
    });
    expect(await run(["tail", "there", "--turn", "none"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^holdfast: Conversation there has no turn none: `holdfast show there`.+\n$/,
      ),
    });
  });
});

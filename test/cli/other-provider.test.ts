import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestStack, type TestStack } from "../support/stack.js";
import { type Outcome, runCommand } from "./run-command.js";

const MODEL = "claude-haiku-4-5";
const thought = {
  role: "assistant",
  content: [
    { type: "thinking", thinking: "Hm.", signature: "s" },
    { type: "text", text: "There." },
  ],
};
const native = [{ role: "user", content: "Where?" }, thought];
const LOST = /Not everything crossed as it was: 1 dropped\.\ndropped\n {2}message 1 {2}thinking/;

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
  await writeFile(join(stack.folder, "native.json"), JSON.stringify(native));
});
afterAll(() => stack.stop());
beforeEach(() => stack.simulator.reset());

const run = (args: readonly string[], input?: string): Promise<Outcome> =>
  runCommand(args, { cwd: stack.folder, ...(input === undefined ? {} : { input }) });

async function json(...args: readonly string[]): Promise<ReturnType<typeof JSON.parse>> {
  const { code, stdout, stderr } = await run([...args, "--json"]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout);
}

const lastModel = (): string | null | undefined => stack.simulator.calls.at(-1)?.model;

describe("a history from elsewhere", () => {
  it("CMD-68 starts a conversation, from a file or from stdin", async () => {
    const words = ["--from", "anthropic", "--model", MODEL];
    const { code, stderr } = await run(["import", "native.json", "--id", "from-file", ...words]);
    expect([code, stderr]).toEqual([0, `from-file goes on after 1 turn, on ${MODEL}.\n`]);
    await run(["send", "from-file", "And clause 5?"]);
    expect(stack.simulator.calls.at(-1)?.lastUserText).toBe("And clause 5?");
    const piped = await run(["import", "-", "--id", "piped", ...words, "--json"], JSON.stringify(native));
    expect(JSON.parse(piped.stdout)).toEqual({
      conversation_id: "piped",
      model: MODEL,
      run_count: 1,
      migrated_from: null,
    });
  });

  it("CMD-68 is converted where the model is another provider's", async () => {
    const words = [
      "import",
      "native.json",
      "--id",
      "crossed",
      "--from",
      "anthropic",
      "--model",
      "gpt-6-luna",
    ];
    const refused = await run([...words, "--no-convert"]);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringMatching(/conversion is turned off/)]);
    const { code, stderr } = await run(words);
    expect([code, stderr]).toEqual([0, expect.stringMatching(LOST)]);
    await run(["send", "crossed", "And?"]);
    expect(lastModel()).toBe("gpt-6-luna");
  });
});

describe("an envelope under another provider", () => {
  it("CMD-67 is converted by import --model, with what did not cross", async () => {
    await run(["import", "native.json", "--id", "original", "--from", "anthropic", "--model", MODEL]);
    await run(["export", "original", "original.json"]);
    const document = JSON.parse(await readFile(join(stack.folder, "original.json"), "utf8"));
    const agent = { ...document.agent, params: { max_tokens: 512 } };
    await writeFile(
      join(stack.folder, "tuned.json"),
      JSON.stringify({ ...document, agent, checksum: undefined }),
    );
    const words = ["import", "tuned.json", "--model", "gpt-6-luna", "--id"];
    const { code, stderr } = await run([...words, "opinion"]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(LOST)]);
    expect(stderr).toContain("The agent's parameters (max_tokens) are the former provider's own");
    expect(await json(...words, "opinion-2")).toMatchObject({
      converted_from: "anthropic",
      conversion_report: [{ artefact: "thinking" }],
    });
    await run(["send", "opinion", "And?"]);
    expect(lastModel()).toBe("gpt-6-luna");
  });

  it("CMD-201 that names no model of its provider needs one to be imported", async () => {
    const converted = [
      "convert",
      "native.json",
      "--from",
      "anthropic",
      "--to",
      "google",
      "-o",
      "google.json",
    ];
    expect((await run(converted)).code).toBe(0);
    expect(await run(["import", "google.json", "--id", "nameless"])).toEqual({
      code: 2,
      stdout: "",
      stderr: "holdfast: google.json names no model of google: say with --model which one continues it.\n",
    });
    const named = ["import", "google.json", "--id", "named", "--model", "gemini-3.5-flash-lite"];
    expect((await run(named)).stderr).toMatch(/^named goes on after 1 turn, on gemini-3\.5-flash-lite\.$/m);
  });

  it("CMD-69 stays where it is with --no-convert, also for a preview", async () => {
    await run(["import", "native.json", "--id", "kept", "--from", "anthropic", "--model", MODEL]);
    const refusals = await Promise.all(
      [["--no-convert"], ["--no-convert", "--preview", "--json"]].map((words) =>
        run(["rebind", "kept", "gpt-6-luna", ...words]),
      ),
    );
    for (const refused of refusals) {
      expect([refused.code, refused.stdout]).toEqual([3, ""]);
      expect(refused.stderr).toMatch(/conversion is turned off, so openai:gpt-6-luna cannot continue it/);
    }
    expect((await json("show", "kept")).model).toBe(MODEL);
  });

  it("CMD-69 is previewed by rebind --preview, and then converted in place", async () => {
    await run(["import", "native.json", "--id", "live", "--from", "anthropic", "--model", MODEL]);
    const preview = await run(["rebind", "live", "gpt-6-luna", "--preview"]);
    expect(preview).toMatchObject({ code: 0, stderr: "" });
    expect(preview.stdout).toMatch(
      /^openai:gpt-6-luna would get the history converted from anthropic: 2 messages, about \d+ tokens\.\n/,
    );
    expect(preview.stdout).toMatch(LOST);
    expect(await json("rebind", "live", "gpt-6-luna", "--preview")).toMatchObject({
      converted_from: "anthropic",
      message_count: 2,
      provider: "openai",
    });
    const same = await run(["rebind", "live", "claude-opus-5-5", "--preview"]);
    expect(same.stdout).toMatch(/^anthropic:claude-opus-5-5 would get the history as it is: 2 messages/);
    expect((await json("show", "live")).model).toBe(MODEL);
    const { code, stderr } = await run(["rebind", "live", "gpt-6-luna"]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(LOST)]);
    expect(stderr).toContain(`live: anthropic:${MODEL} → openai:gpt-6-luna.\n`);
    await run(["send", "live", "And?"]);
    expect(lastModel()).toBe("gpt-6-luna");
    expect(await json("rebind", "live", MODEL)).toMatchObject({
      converted_from: "openai",
      from: "openai:gpt-6-luna",
    });
  });
});

describe("holdfast fork", () => {
  it("CMD-66 starts a conversation of another one's first turns; both go on", async () => {
    await run(["send", "long", "One?", "-m", MODEL]);
    await run(["send", "long", "Two?", "--turn-id", "second"]);
    const { code, stderr } = await run(["fork", "long", "--at", "1"]);
    const id = /^(fork-[0-9a-f]{8}) has the first 1 turn of long\.\n$/.exec(stderr)?.[1] ?? "";
    expect(code).toBe(0);
    await run(["send", id, "Another way?"]);
    expect(JSON.stringify(stack.simulator.calls.at(-1)?.body)).not.toContain("Two?");
    expect(await json("fork", "long", "--at", "second", "--id", "whole")).toEqual({
      conversation_id: "whole",
      run_count: 2,
      copied_from: { conversation_id: "long", turn: 2 },
    });
    expect((await json("show", "long")).run_count).toBe(2);
  });

  it("CMD-66 takes the file of an envelope, and writes one of a conversation", async () => {
    await run(["send", "filed", "One?", "-m", MODEL]);
    await run(["send", "filed", "Two?"]);
    const words = ["fork", "filed", "--at", "1", "--id", "first", "--out", "first.json"];
    expect((await json(...words)).file).toBe("first.json");
    expect((await run(["show", "first"])).code).toBe(1);
    expect((await run(["fork", "first.json", "--at", "1", "--id", "again"])).code).toBe(0);
    expect(await json("show", "again")).toMatchObject({ run_count: 1, message_count: 2 });
  });
});

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestStack, type TestStack } from "../support/stack.js";
import { type Outcome, runCommand } from "./run-command.js";

const MODEL = "claude-haiku-4-5";
const CONTEXT_TOKENS = 2_000;

let stack: TestStack;
let envelope: string;

const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  runCommand(args, { cwd: stack.folder, env });

const write = (name: string, text: string): Promise<void> => writeFile(join(stack.folder, name), text);

beforeAll(async () => {
  stack = await startTestStack({ simulate: { contextTokens: CONTEXT_TOKENS } });
  expect((await run(["send", "steady", "Hello.", "-m", MODEL, "--checkpoint", "steady.json"])).code).toBe(0);
  envelope = (await run(["export", "steady"])).stdout;
  const document = JSON.parse(envelope);
  await write("damaged.json", JSON.stringify({ ...document, model: "claude-opus-5-5" }));
  await write("cut.json", envelope.slice(0, 200));
  await write("empty.json", "");
  await write("future.json", JSON.stringify({ ...document, schema_version: 99 }));
  await write("foreign.json", JSON.stringify([{ role: "user", content: "Hi." }]));
  await write("openai.json", JSON.stringify({ ...document, provider: "openai", checksum: undefined }));
  const call = { type: "tool_use", id: "c1", name: "look", input: {} };
  const round = [document.messages[0], { role: "assistant", content: [call] }];
  await write("round.json", JSON.stringify({ ...document, messages: round, checksum: undefined }));
  await write("long.txt", "word ".repeat(CONTEXT_TOKENS * 2));
  await write("empty.pdf", "");
  await mkdir(join(stack.folder, "folder"));
});
afterAll(() => stack.stop());

interface BadInput {
  readonly what: string;
  readonly words: readonly string[];
  readonly code: 1 | 2 | 3;
  /** What the one line says: what is wrong, and the way on. */
  readonly says: RegExp;
  readonly env?: NodeJS.ProcessEnv;
}

const table: readonly BadInput[] = [
  {
    what: "an unknown model",
    words: ["send", "new", "Hello.", "-m", "gtp-6"],
    code: 2,
    says: /Unknown model "gtp-6".*Use a name that begins with claude-/,
  },
  {
    what: "a model that the provider does not have",
    words: ["send", "unknown-model", "Hello.", "-m", "claude-unknown-model"],
    code: 1,
    says: /interrupted \(provider\.not_found\).*claude-unknown-model/,
  },
  {
    what: "an unknown model to go on with",
    words: ["rebind", "steady", "claud"],
    code: 2,
    says: /Unknown model "claud"/,
  },
  {
    what: "a missing key",
    words: ["chat", "--model", "gpt-6-luna"],
    code: 1,
    says: /OPENAI_API_KEY is not set: set it, or write it into \.env, or use --simulate/,
    env: { HOLDFAST_TEST_FOLDER: "/" },
  },
  {
    what: "an unreachable server",
    words: ["send", "steady", "Hello."],
    code: 1,
    says: /does not answer at 127\.0\.0\.1:1: .*`holdfast dev`/,
    env: { TEMPORAL_ADDRESS: "127.0.0.1:1" },
  },
  {
    what: "an unreachable server, for a worker",
    words: ["worker"],
    code: 1,
    says: /No Temporal server answers at 127\.0\.0\.1:1: start one with `holdfast dev`/,
    env: { TEMPORAL_ADDRESS: "127.0.0.1:1" },
  },
  {
    what: "no worker",
    words: ["send", "lonely", "Hello.", "-m", MODEL],
    code: 1,
    says: /No worker takes conversations from the task queue nobody: start one with `holdfast worker`/,
    env: { HOLDFAST_TASK_QUEUE: "nobody" },
  },
  {
    what: "a file that is not there",
    words: ["send", "steady", "Read.", "-f", "none.pdf"],
    code: 2,
    says: /The file none\.pdf does not exist: check the path/,
  },
  {
    what: "a file that cannot be read",
    words: ["send", "steady", "Read.", "-f", "long.txt/page.pdf"],
    code: 2,
    says: /The file long\.txt\/page\.pdf cannot be read \(ENOTDIR\): check the path/,
  },
  {
    what: "a folder in the place of a file",
    words: ["send", "steady", "Read.", "-f", "folder"],
    code: 2,
    says: /folder" is a folder: attach the files in it/,
  },
  {
    what: "a second path behind one -f, which would become a word of the message",
    words: ["send", "steady", "Read.", "-f", "empty.pdf", "b.png"],
    code: 2,
    says: /Too much: "b\.png"\. Quote the message as one word; -f takes one path each: -f a\.pdf -f b\.png\./,
  },
  {
    what: "an empty file",
    words: ["send", "steady", "Read.", "-f", "empty.pdf"],
    code: 2,
    says: /empty\.pdf is empty: attach a file with content/,
  },
  {
    what: "an empty message",
    words: ["send", "steady", "  "],
    code: 2,
    says: /The message is empty: write a question or attach a file/,
  },
  {
    what: "a message over the model's limit",
    words: ["send", "steady", "Read.", "-f", "long.txt"],
    code: 1,
    says: /interrupted \(provider\.context_too_long\)/,
  },
  {
    what: "an unknown conversation",
    words: ["send", "nobody", "Hello."],
    code: 1,
    says: /There is no conversation "nobody": name a --model, or an --agent of the worker, to start it/,
  },
  {
    what: "an unknown conversation to export",
    words: ["export", "nobody", "nobody.json"],
    code: 1,
    says: /There is no conversation "nobody": `holdfast list` shows/,
  },
  {
    what: "an unknown turn",
    words: ["cancel", "steady", "no-turn"],
    code: 2,
    says: /Conversation steady has no turn no-turn: `holdfast show steady`/,
  },
  {
    what: "a duplicate conversation id",
    words: ["import", "steady.json"],
    code: 3,
    says: /Conversation steady is open already: continue it with `holdfast send steady …`, .*--id.*--replace/,
  },
  {
    what: "an edited envelope",
    words: ["import", "damaged.json", "--id", "x"],
    code: 3,
    says: /damaged\.json is damaged: its checksum .*`holdfast inspect FILE --reseal`/,
  },
  {
    what: "an envelope that was cut off",
    words: ["import", "cut.json", "--id", "x"],
    code: 3,
    says: /cut\.json is .*Use an earlier copy/,
  },
  {
    what: "an empty envelope",
    words: ["inspect", "empty.json"],
    code: 3,
    says: /empty\.json is .*Use an earlier copy/,
  },
  {
    what: "an envelope from the future",
    words: ["import", "future.json", "--id", "x"],
    code: 3,
    says: /future\.json has schema version 99.*Upgrade holdfast/,
  },
  {
    what: "a foreign file",
    words: ["import", "foreign.json", "--id", "x"],
    code: 3,
    says: /foreign\.json is not a Holdfast envelope.*Give a file that holdfast export/,
  },
  {
    what: "an envelope whose agent is of another provider than its history",
    words: ["import", "openai.json", "--id", "x", "--no-convert"],
    code: 3,
    says: /made under openai:.* conversion is turned off.*use a model of openai/,
  },
  {
    what: "a history that ends inside a tool round, under another provider",
    words: ["import", "round.json", "--id", "x", "-m", "gpt-6-luna"],
    code: 3,
    says: /ends inside a tool round: the call c1 \(look\) at message 1.*`holdfast fork --at`/,
  },
  {
    what: "a native history that is none of its dialect",
    words: ["import", "foreign.json", "--id", "x", "--from", "google", "-m", "gemini-3.5-flash-lite"],
    code: 3,
    says: /foreign\.json .* not valid for google: messages\[0\]\.parts: expected a list of parts/,
  },
  {
    what: "a native history without a model to go on with",
    words: ["import", "foreign.json", "--id", "x", "--from", "anthropic"],
    code: 2,
    says: /A history names no model: say with --model/,
  },
  {
    what: "a turn to fork at that is not there",
    words: ["fork", "steady", "--at", "7", "--id", "x"],
    code: 2,
    says: /no turn 7 to fork at: the history has 1 committed turn\. Name a number from 0 to 1/,
  },
  {
    what: "an id for a fork that is taken",
    words: ["fork", "steady", "--at", "1", "--id", "steady"],
    code: 3,
    says: /Conversation steady is there already: .*choose another --id/,
  },
  {
    what: "an unknown conversation to fork",
    words: ["fork", "nobody", "--at", "1"],
    code: 1,
    says: /There is no conversation "nobody"/,
  },
  {
    what: "an envelope that is not there",
    words: ["import", "none.json"],
    code: 2,
    says: /The envelope none\.json does not exist: check the path/,
  },
  {
    what: "a folder to write to that is a file",
    words: ["export", "steady", "long.txt/steady.json"],
    code: 1,
    says: /Cannot write .*: a part of the path is a file/,
  },
];

describe("bad input", () => {
  it.each(table)(
    "CMD-31 is told in one line, with its exit code: $what",
    async ({ words, code, says, env }) => {
      const { HOLDFAST_TEST_FOLDER: cwd = stack.folder, ...rest } = env ?? {};
      const outcome = await runCommand(words, { cwd, env: rest });
      expect(outcome.stdout).toBe("");
      const lines = outcome.stderr.trimEnd().split("\n");
      expect(lines.filter((line) => !line.startsWith("simulated: "))).toEqual([
        expect.stringMatching(new RegExp(`^holdfast: .*${says.source}`)),
      ]);
      expect(outcome.code).toBe(code);
    },
  );

  it("CMD-32 harms nothing: the conversation answers, its history and its checkpoint hold what they held", async () => {
    const held = JSON.parse(envelope);
    const now = JSON.parse((await run(["export", "steady"])).stdout);
    expect(now.messages).toEqual(held.messages);
    expect(JSON.parse(await readFile(join(stack.folder, "steady.json"), "utf8")).messages).toEqual(
      held.messages,
    );
    const list: readonly { readonly id: string }[] = JSON.parse((await run(["list", "--json"])).stdout);
    expect(list.map(({ id }) => id)).not.toEqual(expect.arrayContaining(["new", "x"]));
    const { code, stdout } = await run(["send", "steady", "Still there?"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("“Still there?”")]);
  });
});

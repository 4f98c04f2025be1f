import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS, LISTED_COMMANDS } from "../../src/cli/commands.js";
import { MAIN, type Outcome, runCommand, runProcess } from "./run-command.js";

let folder: string;
const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  runCommand(args, { cwd: folder, env });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-arguments-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("a Node that is too old", () => {
  it("CMD-303 is refused in one line, whatever it lacks", async () => {
    const older = pathToFileURL(join(import.meta.dirname, "../support/older-node.mjs")).href;
    const { code, stdout, stderr } = await runProcess(["list"], {
      cwd: folder,
      env: { NODE_OPTIONS: `--import=${older}` },
    });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^holdfast: This is Node 20\.20\.2, and Holdfast needs [^\n]+\n$/);
  });
});

describe("help", () => {
  it("CMD-1 is made from the commands' data: usage, arguments, options and examples of each", async () => {
    const asked = [[], ...COMMANDS.map(({ name }) => [name])];
    const pages: string[] = [];
    for (const words of asked) {
      const { stdout, stderr, code } = await run([...words, "--help"]);
      expect([code, stderr]).toEqual([0, ""]);
      pages.push(
        `$ holdfast ${[...words, "--help"].join(" ")}\n\n${stdout.replace(/\d+\.\d+\.\d+/, "VERSION")}`,
      );
    }
    await expect(pages.join("\n\n")).toMatchFileSnapshot("help.txt");
  });

  it("CMD-1 comes by `holdfast help COMMAND` and without any word as well", async () => {
    const [asked, named, bare] = await Promise.all([
      run(["help", "send"]),
      runProcess(["send", "-h"], { cwd: folder }),
      run([]),
    ]);
    expect(asked).toEqual(named);
    expect(bare).toEqual(await run(["--help"]));
    for (const { name } of LISTED_COMMANDS) expect(bare.stdout).toMatch(new RegExp(`^ {2}${name} `, "m"));
  });

  it("CMD-2 loads neither Temporal's client nor its worker nor a provider's SDK", async () => {
    const hook = join(folder, "loaded.mjs");
    await writeFile(
      hook,
      `import { registerHooks } from "node:module";
       registerHooks({ load: (url, context, next) => { process.stderr.write(url + "\\n"); return next(url, context); } });`,
    );
    const NODE_OPTIONS = `--import ${new URL(`file://${hook}`).href}`;
    const quick = [
      ["--help"],
      ["dev", "--help"],
      ["chat", "--help"],
      ["inspect", "none.json"],
      ["convert", "none.json", "--to", "openai"],
      ["fork", "none.json", "--at", "1", "--out", "x.json"],
    ];
    for (const words of quick) {
      const { stderr } = await runProcess(words, { cwd: folder, env: { NODE_OPTIONS } });
      expect(stderr).toContain(MAIN);
      expect(stderr).not.toMatch(
        /node_modules\/(@temporalio\/(client|worker|proto|core-bridge)|@anthropic-ai|@google|openai|@grpc)\//,
      );
    }
  });
});

interface Mistake {
  readonly words: readonly string[];
  readonly says: string;
}

const mistakes: readonly Mistake[] = [
  { words: ["sned"], says: "Unknown command sned: did you mean send? See `holdfast --help`." },
  { words: ["frobnicate"], says: "Unknown command frobnicate. See `holdfast --help`." },
  { words: ["--jsn"], says: "Unknown option --jsn. See `holdfast --help`." },
  {
    words: ["list", "--jsno"],
    says: "Unknown option --jsno: did you mean --json? See `holdfast list --help`.",
  },
  { words: ["list", "-x"], says: "Unknown option -x. See `holdfast list --help`." },
  { words: ["list", "--no-closd"], says: "Unknown option --no-closd. See `holdfast list --help`." },
  { words: ["list", "--json=yes"], says: "--json takes no value. See `holdfast list --help`." },
  { words: ["show"], says: "ID is missing. See `holdfast show --help`." },
  { words: ["show", "a", "b"], says: 'Too much: "b". See `holdfast show --help`.' },
  {
    words: ["send", "a", "b", "--model"],
    says: "--model needs a value: --model MODEL. See `holdfast send --help`.",
  },
  {
    words: ["send", "a", "b", "-m", "--json"],
    says: "-m needs a value: -m MODEL. See `holdfast send --help`.",
  },
  {
    words: ["send", "a", "b", "--on-busy", "wait"],
    says: '--on-busy is one of queue, reject, interrupt, not "wait". See `holdfast send --help`.',
  },
  { words: ["simulate", "--port", "http"], says: '--port takes a whole number from 1 to 65535, not "http".' },
  {
    words: ["inspect", "a.json", "--out", "b.json"],
    says: "--out needs --reseal: inspect itself writes nothing.",
  },
  {
    words: ["completion", "tcsh"],
    says: "There are completions for bash, zsh, fish, not for tcsh.",
  },
];

describe("a mistyped command line", () => {
  it.each(mistakes)("CMD-3 is told in one line, with exit code 2: $words", async ({ words, says }) => {
    expect(await run(words)).toEqual({ code: 2, stdout: "", stderr: `holdfast: ${says}\n` });
  });
});

describe("an error", () => {
  it("CMD-4 shows its stack trace only with HOLDFAST_DEBUG or --debug", async () => {
    const words = ["inspect", "missing.json"];
    const line = "holdfast: The envelope missing.json does not exist: check the path.\n";
    const [plain, off, byVariable, byOption] = await Promise.all([
      run(words),
      run(words, { HOLDFAST_DEBUG: "0" }),
      runProcess(words, { cwd: folder, env: { HOLDFAST_DEBUG: "1" } }),
      run([...words, "--debug"]),
    ]);
    expect(plain).toEqual({ code: 2, stdout: "", stderr: line });
    expect(off).toEqual(plain);
    for (const { code, stderr } of [byVariable, byOption]) {
      expect(code).toBe(2);
      expect(stderr.startsWith(line)).toBe(true);
      expect(stderr).toMatch(/\n {4}at .*inspect/);
      expect(stderr).toContain("caused by Error: ENOENT");
    }
  });
});

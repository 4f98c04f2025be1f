import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Agent, Conversations } from "holdfast";
import { SimulatorControl } from "holdfast/testing";
import { defineTool } from "holdfast/worker";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { pdfOf } from "../support/pdf.js";
import { repositoryRoot } from "../support/source-file.js";

const run = promisify(execFile);

const holdfast = `${JSON.stringify(process.execPath)} ${JSON.stringify(join(repositoryRoot, "dist/cli/main.js"))}`;

const read = (page: string): Promise<string> => readFile(join(repositoryRoot, page), "utf8");

/** The first code block of a language. */
const firstBlock = (text: string, language: string): string =>
  text.split(`\`\`\`${language}\n`)[1]?.split("```")[0] ?? "";

/** The first code block of a language below a heading of the README. */
async function codeBlock(heading: string, language: string): Promise<string> {
  return firstBlock((await read("README.md")).split(`## ${heading}\n`)[1] ?? "", language);
}

/** Runs a code block with what it does not declare itself. */
async function runBlock(block: string, given: Readonly<Record<string, unknown>>): Promise<unknown> {
  const source = stripTypeScriptTypes(`(async () => {${block}})()`);
  return await new Function(...Object.keys(given), `return ${source}`)(...Object.values(given));
}

describe("what the README shows", () => {
  let folder: string;
  let conversations: Conversations;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "holdfast-readme-"));
    await writeFile(join(folder, "contract.pdf"), await pdfOf("Clause 4. The seller bears the risk."));
    conversations = await Conversations.connect({
      embedded: true,
      simulate: true,
      cwd: folder,
      tools: [
        defineTool({ name: "order_status", input: z.object({ order: z.string() }), execute: () => "sent" }),
      ],
    });
    const { connection, namespace } = conversations.settings;
    environment = {
      ...process.env,
      TEMPORAL_ADDRESS: connection.address,
      TEMPORAL_NAMESPACE: namespace,
    };
  });

  afterAll(async () => {
    await conversations.close();
    await rm(folder, { recursive: true });
  });

  it("TRE-23 runs its seven lines as they stand", async () => {
    const lines = await codeBlock("In seven lines", "ts");
    expect(lines.trim().split("\n")).toHaveLength(7);
    const script = `import { Agent, Conversations } from "holdfast";
      process.chdir(${JSON.stringify(folder)});
      ${lines}
      console.log(result.output);`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: repositoryRoot,
      env: environment,
    });
    expect(stdout.trim()).not.toBe("");
    const saved = JSON.parse(await readFile(join(folder, "checkpoints/contract-review.json"), "utf8"));
    expect(saved).toMatchObject({ conversation_id: "contract-review", metadata: { run_count: 1 } });
  });

  it("TRE-25 runs the first example of docs/structured-output.md and of docs/streaming.md", async () => {
    const session = await conversations.start(
      new Agent({ model: "claude-haiku-4-5", tools: ["order_status"] }),
      {
        id: "examples",
      },
    );
    const structured = firstBlock(await read("docs/structured-output.md"), "ts");
    const { data } = (await runBlock(`${structured}; return { data, agent };`, { session, z, Agent })) as {
      data: unknown;
    };
    expect(data).toMatchObject({ days: expect.any(Number) });

    const { simulator_url } = JSON.parse(await readFile(join(folder, ".holdfast/dev.json"), "utf8"));
    await new SimulatorControl(simulator_url).script(
      { reply: { text: "I look. ", toolCalls: [{ name: "order_status", arguments: { order: "A-17" } }] } },
      { reply: { text: "It was sent." } },
    );
    const shown: string[] = [];
    const screen = {
      clear: () => shown.splice(0),
      write: (text: string) => shown.push(text),
    };
    const turn = await session.submit("Where is my order?");
    await runBlock(firstBlock(await read("docs/streaming.md"), "ts"), { session, screen });
    expect(shown.join("")).toBe("I look. It was sent.");
    expect((await turn.result()).output).toBe("It was sent.");
  });

  it("TRE-24 talks to a conversation with Temporal's own command, line by line", async () => {
    const session = await conversations.start(
      new Agent({ model: "claude-haiku-4-5", instructions: "You review contracts. Be brief." }),
      { id: "by-hand" },
    );
    const lines = (await codeBlock("By hand, and from other languages", "sh"))
      .trim()
      .split("\n")
      .filter((line) => line.startsWith("npx holdfast temporal "));
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      // Of this package: `npx` may find another one from the folder of the test.
      const command = line.replace("npx holdfast", holdfast).replaceAll("contract-review", "by-hand");
      await expect(run("bash", ["-c", command], { cwd: folder }), line).resolves.toBeDefined();
    }
    expect((await session.status()).run_count).toBe(2);
  });
});

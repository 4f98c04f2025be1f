import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Agent, Conversations } from "holdfast";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pdfOf } from "../support/pdf.js";
import { repositoryRoot } from "../support/source-file.js";

const run = promisify(execFile);

const holdfast = `${JSON.stringify(process.execPath)} ${JSON.stringify(join(repositoryRoot, "dist/cli/main.js"))}`;

/** The first code block of a language below a heading of the README. */
async function codeBlock(heading: string, language: string): Promise<string> {
  const readme = await readFile(join(repositoryRoot, "README.md"), "utf8");
  const section = readme.split(`## ${heading}\n`)[1] ?? "";
  return section.split(`\`\`\`${language}\n`)[1]?.split("```")[0] ?? "";
}

describe("what the README shows", () => {
  let folder: string;
  let conversations: Conversations;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "holdfast-readme-"));
    await writeFile(join(folder, "contract.pdf"), await pdfOf("Clause 4. The seller bears the risk."));
    conversations = await Conversations.connect({ embedded: true, simulate: true, cwd: folder });
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

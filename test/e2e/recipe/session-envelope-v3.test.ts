/** The keys of version 3 at work: checkpoints, restores, the record of a failed turn, the persistence report. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversations } from "../../../src/client/conversations.js";
import { Agent } from "../../../src/core/agent.js";
import { parseEnvelope } from "../../../src/core/envelope/parse-envelope.js";
import { TurnInterruptedError } from "../../../src/core/errors/errors.js";
import { repositoryRoot } from "../../support/source-file.js";
import { startTestStack, type TestStack } from "../../support/stack.js";

const agent = new Agent({ model: "claude-haiku-4-5", instructions: "You review contracts. Be brief." });
const contract = join(repositoryRoot, "examples/contract.pdf");

/** Reads the file over and over; each reading must be a whole envelope. */
function watchCheckpoint(path: string): () => Promise<readonly string[]> {
  const states: string[] = [];
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      const { metadata, messages } = parseEnvelope(await readFile(path, "utf8")).envelope;
      const state = `${metadata.run_count} turns, ${messages.length} messages`;
      if (states.at(-1) !== state) states.push(state);
      await delay(5);
    }
    return states;
  })();
  return () => {
    stopped = true;
    return watching;
  };
}

describe("session envelope, version 3", () => {
  let stack: TestStack;
  let conversations: Conversations;

  beforeAll(async () => {
    stack = await startTestStack();
    conversations = await stack.conversations();
  });
  afterAll(() => stack.stop());

  it("REC-1 rewrites the checkpoint after every completed turn, and never with half a turn, though a worker dies", async () => {
    const path = join(stack.folder, "every-turn", "review.json");
    const session = await conversations.start(agent, { checkpoint: { path } });
    await session.run("Summarise clause 4.", { files: [contract] });
    const stop = watchCheckpoint(path);
    const question = "Who bears the risk in clause 5?";
    stack.simulator.script({ match: { text: question }, pace: { minimumReplyMs: 2_000 }, times: null });
    const turn = await session.submit(question);
    await stack.simulator.waitForCall((call) => call.lastUserText === question && call.chunksSent > 3);
    await stack.workers[0]?.kill();
    await stack.startWorker();
    const { attempt } = await turn.result();
    await session.run("List the parties.");
    expect(await stop()).toEqual(["1 turns, 2 messages", "2 turns, 4 messages", "3 turns, 6 messages"]);
    expect(attempt).toBe(2);
    expect(await readdir(join(stack.folder, "every-turn"))).toEqual(["review.json"]);
  });

  it("REC-2 restores as many turns as were saved, and accounts for each", async () => {
    const path = join(stack.folder, "counted.json");
    const session = await conversations.start(agent);
    for (const turns of [1, 2, 3]) {
      await session.run(`Question ${turns}`);
      const text = await session.toJson({ path });
      expect(await readFile(path, "utf8")).toBe(text);
      const restored = await conversations.fromJson(path, { agent, id: `${session.id}-${turns}` });
      expect(await restored.metadata()).toMatchObject({ run_count: turns });
      expect((await restored.toEnvelope()).accounting.turns).toHaveLength(turns);
    }
  });

  it("REC-9 keeps a failed turn's question on its record, from the catch block to another connection's resend", async () => {
    const path = join(stack.folder, "interrupted.json");
    const question = "Summarise clause 4.";
    const session = await conversations.start(agent);
    await session.run("Good morning.");
    stack.simulator.script({
      match: { text: question },
      fault: { kind: "status", status: 400, message: "The line is down." },
    });
    try {
      await session.run(question, { files: [contract] });
      expect.unreachable("the turn must not complete");
    } catch (error) {
      expect(error).toBeInstanceOf(TurnInterruptedError);
      await session.toJson({ path });
    }
    await session.close();

    const elsewhere = await stack.conversations();
    const restored = await elsewhere.fromJson(path);
    expect(JSON.stringify(await restored.messages())).not.toContain(question);
    expect(await restored.interruptedTurn()).toMatchObject({
      message: question,
      error_type: expect.stringContaining("provider."),
      error: expect.stringContaining("The line is down."),
      failed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    const result = await restored.resend();
    expect(result.output).toContain("one third on delivery");
    const saved = JSON.parse(await restored.toJson({ path }));
    expect(saved).toMatchObject({ interrupted_turn: null, metadata: { run_count: 2 } });
  });

  it("REC-10 says before a save how large its file will be, and which media it will hold", async () => {
    const path = join(stack.folder, "measured.json");
    const session = await conversations.start(agent);
    expect(await session.persistenceReport()).toMatchObject({ message_count: 0, media_count: 0, media: [] });
    await session.run("Good morning – “Guten Morgen”.");
    await session.run("Summarise clause 4.", { files: [contract] });
    const report = await session.persistenceReport();
    await session.toJson({ path });
    expect(report).toEqual({
      size_bytes: (await stat(path)).size,
      message_count: 4,
      media_count: 1,
      media: [
        {
          message_index: 2,
          kind: "document",
          mime_type: "application/pdf",
          size_bytes: (await stat(contract)).size,
        },
      ],
    });
  });
});

/** What is left of a conversation that was deleted: nothing, here and on the server. */
import { readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import { ConversationNotFoundError, UsageError } from "../../src/core/errors/errors.js";
import { runCommand } from "../cli/run-command.js";
import { historiesOf, startShortRuns } from "../support/short-runs.js";
import { startTestStack, type TestStack } from "../support/stack.js";

const agent = new Agent({ model: "claude-haiku-4-5" });
const LONG_AGO = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);

let stack: TestStack;
let conversations: Conversations;
beforeAll(async () => {
  // By default a server deletes what was closed just now after half a minute.
  const names = ["transfer", "visibility"].map((queue) => `history.${queue}ProcessorUpdateAckInterval`);
  stack = await startTestStack({ dynamicConfig: Object.fromEntries(names.map((name) => [name, "50ms"])) });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());

async function begin(id: string, file?: string): Promise<void> {
  const session = await conversations.start(agent, { id });
  await session.run("Read it.", file === undefined ? {} : { files: [file] });
}

/** Waits until the server deletes it at once, rather than at its second try, seconds later. */
async function close(id: string): Promise<void> {
  await (await conversations.open(id)).close();
  await delay(500);
}

async function closedIds(): Promise<readonly string[]> {
  return (await conversations.list({ closed: true })).map(({ id }) => id);
}

async function stored(): Promise<readonly string[]> {
  return (await readdir(conversations.settings.mediaStore)).filter((name) => /^[0-9a-f]{64}\./.test(name));
}

/** Makes all blobs old, and says which are garbage. */
async function garbage(): Promise<readonly string[]> {
  for (const name of await stored())
    await utimes(join(conversations.settings.mediaStore, name), LONG_AGO, LONG_AGO);
  return (await conversations.gc({ delete: true })).garbage.map(({ key }) => key);
}

describe("deleting a conversation", () => {
  it("API-200 leaves nothing of a closed one but its files, which are garbage, and its id is free", async () => {
    await writeFile(join(stack.folder, "private.txt"), "Of a person.");
    await begin("gone", join(stack.folder, "private.txt"));
    await expect(conversations.delete("gone")).rejects.toThrow(UsageError);
    await expect(conversations.delete("gone")).rejects.toThrow(/is open: close it first with/);
    await close("gone");
    const before = await stored();
    expect(await garbage()).toEqual([]);
    const deleted = await conversations.delete("gone");
    expect(deleted).toMatchObject({ conversation_id: "gone", runs: 1, server_done: true });
    expect(before).toContain(deleted.envelope);
    expect(await stored()).toEqual(before.filter((name) => name !== deleted.envelope));
    expect(await closedIds()).not.toContain("gone");
    await expect(conversations.open("gone")).rejects.toThrow(ConversationNotFoundError);
    await expect(conversations.delete("gone")).rejects.toThrow(ConversationNotFoundError);
    expect(await garbage()).toEqual([expect.stringMatching(/\.txt$/)]);
    const anew = await conversations.start(agent, { id: "gone" });
    expect((await anew.status()).run_count).toBe(0);
  });

  it("API-201 deletes every run that the server has, and no external payload", async () => {
    const id = 'it\'s "long" \\ 🙂';
    const session = await startShortRuns(conversations, { events: 20 }, { id });
    for (const turn of [1, 2, 3]) await session.run(`Question ${turn}. ${"x".repeat(140_000)}`);
    await close(id);
    const payloads = await readdir(conversations.settings.payloadStore);
    expect(payloads.length).toBeGreaterThan(0);
    const runs = (await historiesOf(conversations, id)).length;
    expect(runs).toBeGreaterThan(1);
    expect(await conversations.delete(id)).toMatchObject({ runs, server_done: true });
    await expect(historiesOf(conversations, id)).rejects.toThrow(/not found/);
    expect(await readdir(conversations.settings.payloadStore)).toEqual(payloads);
  });

  it("API-201 deletes earlier conversations of the id as well", async () => {
    await conversations.start(agent, { id: "twice" });
    await conversations.start(agent, { id: "twice", ifExists: "replace" });
    await close("twice");
    expect(await conversations.delete("twice")).toMatchObject({ runs: 2, server_done: true });
  });

  it("API-202 deletes what is kept also once the server has forgotten the conversation", async () => {
    await begin("forgotten");
    await close("forgotten");
    const { mediaStore, connection } = conversations.settings;
    const address = connection.address ?? "";
    const forgetful = await stack.conversations({ address, namespace: "default", mediaStore });
    expect(await forgetful.delete("forgotten")).toMatchObject({ runs: 0, server_done: true });
    expect(await closedIds()).not.toContain("forgotten");
  });
});

describe("holdfast delete", () => {
  const run = (...args: readonly string[]) => runCommand(args, { cwd: stack.folder });

  it("CMD-200 deletes a closed conversation with --yes only, and says what it has deleted", async () => {
    await begin("spoken");
    expect(await run("delete", "spoken", "--yes")).toEqual({
      code: 2,
      stdout: "",
      stderr: "holdfast: Conversation spoken is open: close it first with `holdfast close spoken`.\n",
    });
    await close("spoken");
    const unsure = await run("delete", "spoken");
    expect([unsure.code, unsure.stderr]).toEqual([
      2,
      expect.stringMatching(/^holdfast: Nothing was deleted: .*`holdfast delete spoken --yes.*\n$/),
    ]);
    expect(await closedIds()).toContain("spoken");
    // A shell is told nothing where the answer takes too long.
    const offered = async (): Promise<string> => (await run("complete", "--", "delete", "spo")).stdout;
    await expect.poll(offered, { timeout: 30_000 }).toBe("spoken\n:4\n");
    const { code, stdout } = await run("delete", "spoken", "--yes", "--json");
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        conversation_id: "spoken",
        runs: 1,
        server_done: true,
        envelope: expect.stringMatching(/^[0-9a-f]{64}\.json$/),
      },
    ]);
    expect(await closedIds()).not.toContain("spoken");
    const again = await run("delete", "spoken", "--yes");
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/^holdfast: There is no .*\n$/)]);
  });
});

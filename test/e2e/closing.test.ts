import { rename, rm, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "@temporalio/common";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import { WORKFLOW_TYPE } from "../../src/core/conversation/messages.js";
import { startTestStack, type TestStack } from "../support/stack.js";

const agent = new Agent({ model: "claude-haiku-4-5" });
let stack: TestStack;
let conversations: Conversations;
const warnings: string[] = [];

beforeAll(async () => {
  stack = await startTestStack();
  const drop = (): void => undefined;
  const logger: Logger = {
    log: drop,
    trace: drop,
    debug: drop,
    info: drop,
    warn: (message) => void warnings.push(message),
    error: drop,
  };
  conversations = await stack.conversations({ logger });
});
afterAll(() => stack.stop());

/** A file in the place of the working store's folder, as long as that takes. */
async function withoutStore<T>(work: () => Promise<T>): Promise<T> {
  const { mediaStore } = conversations.settings;
  await rename(mediaStore, `${mediaStore}-aside`);
  await writeFile(mediaStore, "no folder");
  try {
    return await work();
  } finally {
    await rm(mediaStore);
    await rename(`${mediaStore}-aside`, mediaStore);
  }
}

describe("a conversation that is closed while the working store cannot be used", () => {
  it("API-192 closes all the same, says that its last envelope was not kept, and gc spares what it names", async () => {
    const session = await conversations.start(agent, { id: "not-kept" });
    await session.run("Read it.", { files: [{ name: "note.md", data: "# Clause 4" }] });
    const closed = await withoutStore(() => session.close());
    expect(closed).toMatchObject({
      envelopeKept: false,
      warning: expect.stringMatching(
        /^Conversation not-kept is closed, but its last envelope was not kept: .*holdfast export not-kept\.$/,
      ),
    });
    expect(warnings).toContain(closed.warning);
    expect(await session.close()).toMatchObject({ envelopeKept: false });
    const kept = await conversations.start(agent);
    expect(await kept.close()).toEqual({ envelopeKept: true });
    // One that never began has nothing to keep.
    const { taskQueue } = conversations.settings;
    const options = { taskQueue, workflowId: "no-conversation", args: [] };
    const broken = await conversations.temporal.workflow.start(WORKFLOW_TYPE, options);
    await expect(broken.result()).rejects.toThrow();
    await expect.poll(() => conversations.list().then((open) => open.length)).toBe(0);
    await setTimeout(20);
    const found = await conversations.gc({ delete: true, olderThanMs: 0 });
    expect(found.scanned).toMatchObject({ open_conversations: 0, closed_conversations: 2 });
    const reopened = await (await conversations.open("not-kept")).toEnvelope({ media: "inline" });
    expect(JSON.stringify(reopened.messages)).toContain("# Clause 4");
    expect(reopened.media_report).toEqual([]);
  });
});

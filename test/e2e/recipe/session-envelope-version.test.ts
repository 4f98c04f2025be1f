/** Versions and the prefix: what a restore says about where its envelope came from. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversations } from "../../../src/client/conversations.js";
import { Agent } from "../../../src/core/agent.js";
import { repositoryRoot } from "../../support/source-file.js";
import { startTestStack, type TestStack } from "../../support/stack.js";

const agent = new Agent({ model: "claude-haiku-4-5", instructions: "You review contracts. Be brief." });

const served = new Agent({ model: "accounts/fireworks/models/kimi-k2p6", instructions: "Be brief." });

describe("session envelope, its version and its prefix", () => {
  let stack: TestStack;
  let conversations: Conversations;

  beforeAll(async () => {
    stack = await startTestStack();
    conversations = await stack.conversations();
  });
  afterAll(() => stack.stop());

  it("REC-8 reports instructions and tools that moved since the save, and goes on", async () => {
    const session = await conversations.start(agent);
    await session.run("Good morning.");
    const text = await session.toJson();

    const same = await conversations.fromJson(text, { agent, id: "same" });
    expect(await same.prefixChangedOnResume()).toBe(false);
    expect(await same.prefixChangeReport()).toBeNull();

    const instructions = "You review contracts at length.";
    const moved = await conversations.fromJson(text, {
      agent: new Agent({ model: "claude-haiku-4-5", instructions }),
      id: "moved",
    });
    expect(await moved.prefixChangedOnResume()).toBe(true);
    expect(await moved.prefixChangeReport()).toEqual({
      instructions: true,
      tools: { added: [], removed: [], changed: [] },
    });
    await moved.run("And now?");
    expect(stack.simulator.calls.at(-1)?.body).toMatchObject({ messages: { length: 3 } });
    expect(JSON.stringify(stack.simulator.calls.at(-1)?.body)).toContain(instructions);

    const tools = [{ name: "lookup", description: "Looks a term up", input_schema: { type: "object" } }];
    const equipped = await conversations.fromJson(text, {
      agent: new Agent({ ...agent.spec, tools }),
      id: "equipped",
    });
    expect(await equipped.prefixChangeReport()).toEqual({
      instructions: false,
      tools: { added: ["lookup"], removed: [], changed: [] },
    });
  });

  it.each([1, 2, 3])(
    "REC-14 goes on from an envelope of version %i, and says that it was one",
    async (version) => {
      const golden = join(repositoryRoot, `test/golden/v${version}/fireworks-tool-round.json`);
      const text = await readFile(golden, "utf8");
      const restored = await conversations.fromJson(text, { agent: served, id: `from-version-${version}` });
      expect(await restored.restoredFromSchemaVersion()).toBe(version);
      const before = await restored.metadata();
      await restored.run("And what follows from that?");
      expect(JSON.parse(await restored.toJson())).toMatchObject({
        schema_version: 3,
        metadata: { run_count: before.run_count + 1 },
      });
    },
  );
});

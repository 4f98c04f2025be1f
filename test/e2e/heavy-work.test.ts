/** Turns and rebinds that a worker of the built package does in a thread, on a real server. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent } from "../../src/core/agent.js";
import { startTestStack, type TestStack } from "../support/stack.js";

const MIB = 1024 * 1024;
const claude = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief." });
const gpt = new Agent({ model: "gpt-6-luna", instructions: "Be brief." });

let stack: TestStack;
let conversations: Conversations;
beforeAll(async () => {
  stack = await startTestStack({ simulate: { contextTokens: 100_000_000 } });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());

describe("work above 1 MiB", () => {
  it("ACT-78 of a turn with a large file is done, also once more, with its checkpoint written", async () => {
    const path = join(stack.folder, "large.json");
    const session = await conversations.start(claude, { checkpoint: { path } });
    const notes = randomBytes(2 * MIB)
      .toString("hex")
      .slice(0, 2 * MIB);
    const first = await session.run("What does it say?", { files: [{ name: "notes.txt", data: notes }] });
    const second = await session.run("And what else?");
    expect([first.output, second.output]).not.toContain("");
    for (const { body } of stack.simulator.calls.slice(-2)) {
      expect(JSON.stringify(body).includes(notes)).toBe(true);
    }
    const copy = await conversations.fromJson(path, { agent: claude, id: "large-copy" });
    expect(await copy.messages()).toEqual(await session.messages());
    await session.close();
    const closed = await conversations.open(session.id);
    expect((await closed.metadata()).run_count).toBe(2);
  });

  it("ACT-79 of a rebind of a long history is done, and the conversation goes on with it", async () => {
    const messages = Array.from({ length: 60 }, (_, turn) => [
      { role: "user", content: `Question ${turn}: ${"q".repeat(15_000)}` },
      { role: "assistant", content: [{ type: "text", text: `Answer ${turn}: ${"Zürich ".repeat(2_000)}` }] },
    ]).flat();
    const saved = { schema_version: 1, provider: "anthropic", model: claude.spec.model, messages };
    const session = await conversations.fromEnvelope(saved, { agent: claude, id: "long" });
    const preview = await session.previewRebind(gpt);
    expect(preview.message_count).toBe(120);
    await session.rebind(gpt);
    const result = await session.run("And now?");
    expect(result).toMatchObject({ provider: "openai", messages: { from: 120 } });
    const native = await session.messages();
    expect(JSON.stringify(native[118])).toContain("Question 59");
    expect(JSON.stringify(native[119])).toContain("Answer 59: Zürich");
    await session.rebind(claude);
    expect((await session.messages()).slice(0, 120)).toEqual(messages);
  });
});

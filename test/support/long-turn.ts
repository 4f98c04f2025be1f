/** A turn whose answer lasts, so that something can happen in the middle of it. */
import { expect } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import { Agent } from "../../src/core/agent.js";
import type { TestStack } from "./stack.js";

export const AGENT: Agent = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief." });
export const ANSWER: string = "word ".repeat(100).trim();

/** Resolves when turn `t1` is in the middle of its answer, which lasts for `ms`, as every further call does. */
export async function startLongTurn(
  { simulator }: TestStack,
  session: Conversation,
  ms: number,
): Promise<void> {
  simulator.script({ reply: { text: ANSWER }, pace: { minimumReplyMs: ms }, times: null });
  await session.submit("slow", { turnId: "t1" });
  await simulator.waitForCall(({ chunksSent }) => chunksSent > 4);
}

/** The turn is the conversation's only one, and stands once in its history. */
export async function expectCommittedOnce(session: Conversation): Promise<void> {
  expect(await session.messages()).toMatchObject([
    { role: "user" },
    { role: "assistant", content: [{ text: ANSWER }] },
  ]);
  expect((await session.toEnvelope()).turn_index).toMatchObject([{ turn_id: "t1", state: "committed" }]);
  expect((await session.status()).run_count).toBe(1);
}

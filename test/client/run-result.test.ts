import { describe, expect, it } from "vitest";
import { ClosedQueries } from "../../src/client/conversation-queries.js";
import { runResult } from "../../src/client/run-result.js";
import { turnView } from "../../src/core/conversation/views.js";
import { committed, freshConversation, ONE_CALL } from "../support/conversation-samples.js";

async function resultOf(text: string) {
  const state = committed(committed(freshConversation(), "a"), "b", { text, provider_calls: 2, attempt: 3 });
  const { result } = turnView(state, "b");
  if (result === undefined) throw new Error("The turn has no result.");
  return { result, run: await runResult(result, new ClosedQueries(state)) };
}

describe("what run resolves to", () => {
  it("API-33 has camelCase keys of its own and leaves data as an envelope has it", async () => {
    const { result, run } = await resultOf("Clause 4 says so.");
    expect(run).toEqual({
      output: "Clause 4 says so.",
      turnId: "b",
      provider: "anthropic",
      model: "claude-haiku-4-5",
      simulated: false,
      usage: ONE_CALL,
      finishReason: { unified: "stop", raw: "end_turn" },
      providerCalls: 2,
      toolCalls: 0,
      mediaUploads: [],
      messages: { from: 2, to: 4 },
      digest: result.digest,
      attempt: 3,
      turnsLeftOut: 0,
      requestMended: [],
      mediaReport: [],
    });
  });

  it("API-34 reads an answer that fits no query from the history", async () => {
    const text = "x".repeat(100_000);
    const { result, run } = await resultOf(text);
    expect(result.output).toBeNull();
    expect(run.output).toBe(text);
  });
});

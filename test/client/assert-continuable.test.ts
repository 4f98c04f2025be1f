import { describe, expect, it } from "vitest";
import { assertContinuable } from "../../src/client/assert-continuable.js";
import { restoreConversation } from "../../src/client/restore-conversation.js";
import { Agent } from "../../src/core/agent.js";
import type { Envelope, NativeMessage } from "../../src/core/envelope/envelope.js";
import { envelopeOfHistory } from "../../src/core/envelope/envelope-of-history.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";

const NOW = "2026-11-29T12:00:00.000Z";
const question: NativeMessage = { role: "user", content: "What does clause 4 say?" };
const use = { type: "tool_use", id: "t1", name: "look", input: {} };
const result = { type: "tool_result", tool_use_id: "t1", content: "Clause 4." };

function envelopeOf(messages: readonly NativeMessage[]): Envelope {
  const origin = {
    provider: "anthropic",
    model: "claude-haiku-4-5",
    conversationId: "review",
    now: NOW,
  } as const;
  return envelopeOfHistory({ messages, system: null }, origin);
}

const restore = (envelope: Envelope) =>
  restoreConversation(
    { envelope, migratedFrom: 3 },
    {
      agent: new Agent({ model: "claude-haiku-4-5" }),
      conversationId: "review",
      mediaStore: new MemoryMediaStore(),
      checkpoint: null,
      now: NOW,
      convert: true,
    },
  );

describe("a history that is restored under its own provider", () => {
  it("API-122 is refused before anything starts where no request could mend it, with index and path", async () => {
    const orphan = envelopeOf([
      question,
      { role: "assistant", content: "So." },
      { role: "user", content: [result] },
    ]);
    const refusal = {
      code: "InvalidHistoryError",
      issues: [{ index: 2, path: "content.0", expected: expect.stringContaining("call") }],
      message: expect.stringMatching(
        /^The envelope .* anthropic: messages\[2\]\.content\.0: expected a result whose call/,
      ),
    };
    await expect(restore(orphan)).rejects.toMatchObject(refusal);
    expect(() => assertContinuable(orphan)).toThrow(expect.objectContaining(refusal));
  });

  it("API-123 keeps its faults byte for byte where each request can mend them", async () => {
    const messages: readonly NativeMessage[] = [
      question,
      { role: "assistant", content: [use] },
      {
        role: "user",
        content: [
          { type: "text", text: " " },
          { type: "text", text: "Never mind." },
        ],
      },
      { role: "assistant", content: [use] },
    ];
    const { segments, tail } = await restore(envelopeOf(messages));
    expect([...segments, tail].flatMap((segment) => segment.messages)).toEqual(messages);
  });
});

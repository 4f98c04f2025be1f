import { describe, expect, it } from "vitest";
import { conversationId } from "../../src/client/conversation-id.js";
import type { SubmitOptions } from "../../src/client/conversation-options.js";
import { newSubmission } from "../../src/client/submission.js";
import { turnIdOf } from "../../src/client/turn-id.js";
import { UsageError } from "../../src/core/errors/errors.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";

const HALVES = ["\ud800x", "x\udc00", "a\udc00\ud800b"];

const submission = (options: SubmitOptions) =>
  newSubmission({ mediaStore: new MemoryMediaStore(), attach: async () => [] }, "Hello", options);

describe("an id with half a character", () => {
  it.each(HALVES)("API-380 is no id of a conversation: %j", (id) => {
    expect(() => conversationId(id)).toThrow(UsageError);
    expect(() => conversationId(id)).toThrow(
      /^A conversation id has no half characters: [^\n\ud800-\udfff]+$/,
    );
  });

  it.each(HALVES)("API-380 is no id of a turn, submitted or asked for: %j", async (id) => {
    await expect(submission({ turnId: id })).rejects.toThrow(UsageError);
    expect(() => turnIdOf(id)).toThrow(/^A turn id has no half characters: [^\n\ud800-\udfff]+$/);
  });

  it("API-380 is not taken for a whole character of two halves", async () => {
    expect(conversationId("😀 Prüfung")).toBe("😀 Prüfung");
    expect((await submission({ turnId: "😀" })).turn_id).toBe("😀");
    expect(turnIdOf(undefined)).toBeUndefined();
  });
});

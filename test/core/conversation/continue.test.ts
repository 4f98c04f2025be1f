import { describe, expect, it } from "vitest";
import { continuedArguments, startingState } from "../../../src/core/conversation/continue.js";
import { withRefusal } from "../../../src/core/conversation/refusals.js";
import { freshState } from "../../../src/core/conversation/restore.js";
import type { ConversationState } from "../../../src/core/conversation/state.js";
import { EMPTY_SEGMENT, withHead } from "../../../src/core/conversation/state.js";
import { prefixOf } from "../../../src/core/envelope/fingerprint.js";

const agent = { model: "claude-haiku-4-5", instructions: "", tools: [], params: {} };
const now = "2026-01-31T12:00:00.000Z";
const fresh = freshState({ conversationId: "c", now, agent, prefix: prefixOf(agent), checkpoint: null });
const rebind = { agent: { model: "gpt-6-luna" } };

describe("what a run hands to the next", () => {
  it("WFL-176 is the head, the sealed segments as they are and the tail, each by itself", () => {
    const sealed = { ...EMPTY_SEGMENT, messages: [{ role: "user", content: "One" }] };
    const state: ConversationState = { ...fresh, segments: [sealed], version: 7 };
    const [head, ...segments] = continuedArguments(state, []);
    expect(segments).toEqual([sealed, state.tail]);
    expect(segments[0]).toBe(sealed);
    expect(head).toEqual({ ...state.head, version: 7 });
  });

  it("WFL-167 holds the rebinds that came in the last moment, and none that have been carried before", () => {
    const [head, ...parts] = continuedArguments(fresh, [rebind]);
    expect(head.rebinds).toEqual([rebind]);
    const [next] = continuedArguments(startingState(head, parts), []);
    expect(next).not.toHaveProperty("rebinds");
  });

  it("WFL-177 stays under 64 KiB beside the agent's texts and the turns that wait, however many refusals there were", () => {
    let state = withHead(fresh, {});
    for (let index = 0; index < 100; index++)
      state = withRefusal(state, {
        at: now,
        name: "x".repeat(100),
        reason: "invalid",
        error: "e".repeat(9_000),
      });
    const [head] = continuedArguments(state, []);
    expect(head.refusals).toHaveLength(20);
    expect(JSON.stringify(head).length).toBeLessThan(64 * 1024);
  });
});

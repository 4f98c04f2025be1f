import { describe, expect, it } from "vitest";
import { readEnvelope, readFirst, readPages } from "../../src/connection/read-pages.js";
import { envelopeOf } from "../../src/core/conversation/export.js";
import type { PageRequest } from "../../src/core/conversation/messages.js";
import { pageOf } from "../../src/core/conversation/page.js";
import { rebind } from "../../src/core/conversation/rebind.js";
import type { ConversationState } from "../../src/core/conversation/state.js";
import { withHead } from "../../src/core/conversation/state.js";
import { committed, freshConversation } from "../support/conversation-samples.js";
import { SAMPLE_TIME } from "../support/envelope-samples.js";
import { queryHandle } from "../support/query-handle.js";

/** A conversation that goes on each time it is asked. */
function movingOn(
  start: ConversationState,
  step: (state: ConversationState, time: number) => ConversationState,
) {
  const states = [start];
  return queryHandle(() => {
    const state = states.at(-1) ?? start;
    states.push(step(state, states.length));
    return state;
  });
}

const oneTurnMore = (state: ConversationState, time: number): ConversationState =>
  committed(state, `later-${time}`, { text: "y".repeat(40_000) });

describe("reading a conversation by pages", () => {
  it("CON-20 reads a list of any length, page by page", async () => {
    const list = Array.from({ length: 12 }, (_, index) => ({ index, text: "x".repeat(index * 15_000) }));
    const query = async (request: PageRequest) => pageOf(list, request, 1);
    expect(await readPages(query)).toEqual(list);
    expect(await readPages(query, 10)).toEqual(list.slice(10));
    expect(await readPages(async (request) => pageOf([], request, 1))).toEqual([]);
  });

  it("CON-21 reads a small envelope with one query", async () => {
    const state = committed(freshConversation(), "a");
    const { handle, asked } = queryHandle(() => state);
    expect(await readEnvelope(handle, SAMPLE_TIME)).toEqual(envelopeOf(state, SAMPLE_TIME));
    expect(asked).toHaveLength(1);
  });

  it("CON-22 reads the envelope of one moment while turns go on", async () => {
    const start = [1, 2, 3, 4, 5].reduce(
      (state, turn) => committed(state, `t${turn}`, { text: "x".repeat(60_000) }),
      freshConversation(),
    );
    const { handle, asked } = movingOn(start, oneTurnMore);
    expect(await readEnvelope(handle, SAMPLE_TIME)).toEqual(envelopeOf(start, SAMPLE_TIME));
    expect(asked.length).toBeGreaterThan(4);
  });

  it("CON-23 reads a head above 96 KiB of one moment, also when the conversation changes between its parts", async () => {
    const large = freshConversation({ agent: { instructions: "Be brief. ".repeat(30_000) } });
    const start = committed(large, "a", { text: "x".repeat(60_000) });
    const changes: ConversationState[] = [];
    // The first turn of changes falls between the parts of the head; then the conversation stands still.
    const { handle } = movingOn(start, (state, time) => {
      const next = time > 2 ? state : changedAgent(committed(state, `later-${time}`));
      changes.push(next);
      return next;
    });
    const envelope = await readEnvelope(handle, SAMPLE_TIME);
    expect(envelope).toEqual(envelopeOf(changes.at(-1) ?? start, SAMPLE_TIME));
    expect(envelope.metadata.run_count).toBe(3);
    expect(envelope.turn_index).toHaveLength(3);
  });

  it("CON-24 keeps unknown keys above 96 KiB", async () => {
    const unknown = { host_note: "\u0001".repeat(100_000) };
    const state = withHead(committed(freshConversation(), "a"), { unknown });
    const envelope = await readEnvelope(queryHandle(() => state).handle, SAMPLE_TIME);
    expect(envelope).toEqual(envelopeOf(state, SAMPLE_TIME));
    expect(envelope.host_note).toBe(unknown.host_note);
  });

  it("CON-25 gives up with one line on an entry that never stands still", async () => {
    let version = 0;
    const query = async (request: PageRequest) => pageOf([{ text: "x".repeat(200_000) }], request, version++);
    await expect(readFirst(query)).rejects.toThrow(/changes faster than it can be read: try again/);
    expect(await readFirst(async (request) => pageOf([], request, version++))).toBeUndefined();
  });
});

function changedAgent(state: ConversationState): ConversationState {
  const agent = { ...state.head.agent, instructions: "Be thorough. ".repeat(30_000) };
  return rebind(state, agent, { prefix: state.head.prefix, agent_digest: "d" }, SAMPLE_TIME);
}

import { describe, expect, it } from "vitest";
import { readTranscript } from "../../src/activities/read-transcript.js";
import { TranscriptCache } from "../../src/activities/transcript-cache.js";
import { continuedArguments } from "../../src/core/conversation/continue.js";
import type { ConversationState } from "../../src/core/conversation/state.js";
import { transcriptMessages, transcriptRoot } from "../../src/core/conversation/transcript.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { callInput } from "../support/activity-world.js";
import { answerTo, committed, freshConversation, running } from "../support/conversation-samples.js";
import { queryHandle } from "../support/query-handle.js";
import { recordedRun } from "../support/recorded-run.js";

const TURNS = ["a", "b", "c", "d", "e"];
const grownBy = (state: ConversationState, turns: readonly string[], bytes: number): ConversationState =>
  turns.reduce((grown, turn) => committed(grown, turn, { text: turn.repeat(bytes) }), state);

/** Five turns of 100 KB: three sealed segments. */
const LONG = grownBy(freshConversation(), TURNS, 100_000);

/** A conversation in the middle of a turn, whose run began with `args`, and a worker that knows nothing of it. */
async function scene(
  state: ConversationState,
  args: readonly unknown[] | Error,
  { store = new MemoryMediaStore(), isHeldBack = false } = {},
) {
  const { handle, asked } = queryHandle(() => state);
  const silent = { query: () => new Promise(() => undefined) } as unknown as typeof handle;
  const { client, histories } = await recordedRun({ args, store }, isHeldBack ? silent : handle);
  const cache = new TranscriptCache();
  const root = transcriptRoot(state);
  const read = () => readTranscript(cache, client, callInput(state, { root }));
  return { read, asked, histories };
}

describe("the history of a turn whose worker has nothing of it", () => {
  it("WFL-260 comes from what the run began with and, by query, from what has come since", async () => {
    const now = running(committed(LONG, "f"), "g");
    const { read, asked, histories } = await scene(now, continuedArguments(LONG, []));
    const { messages } = await read();
    expect(messages).toEqual(transcriptMessages(now));
    // The first page, which shows that there are more; the new turn; the agent.
    expect(asked).toHaveLength(3);
    expect(histories).toEqual([
      {
        namespace: "default",
        execution: { workflowId: "review", runId: "run" },
        maximumPageSize: 1,
      },
    ]);
    expect((await read()).messages).toBe(messages);
    expect([asked.length, histories.length]).toEqual([3, 1]);
  });

  it("WFL-260 holds what a turn has staged, also in the run before this one", async () => {
    const started = running(LONG, "f");
    const { messages, root, ...call } = answerTo(started);
    const turn = started.running;
    if (turn === null) throw new Error("No turn runs.");
    const staged = { ...turn, staged: messages, root, calls: [{ ...call, root }] };
    const now: ConversationState = { ...started, running: staged };
    const { read, asked } = await scene(now, continuedArguments(now, []));
    expect((await read()).messages).toEqual([...transcriptMessages(LONG), ...messages]);
    expect(asked).toHaveLength(3);
  });

  it("WFL-260 is asked for by query alone where it is one page", async () => {
    const now = running(grownBy(freshConversation(), TURNS, 1_000), "f");
    const { read, asked, histories } = await scene(now, new Error("Not to be asked."));
    expect((await read()).messages).toEqual(transcriptMessages(now));
    expect([asked.length, histories.length]).toEqual([2, 0]);
  });

  const other = grownBy(freshConversation(), TURNS, 99_000);
  const [head, ...parts] = continuedArguments(LONG, []);
  it.each([
    ["was converted after the run had begun", continuedArguments(other, [])],
    ["began with what cannot be decoded", [head, ...parts.slice(1), { undecodable: "…" }]],
    ["began with a part less than its root says", [head, ...parts.slice(1)]],
    ["began with nothing that this build knows", ["…"]],
    ["began with nothing", []],
    ["cannot be read from its first event", new Error("Permission denied.")],
  ])("WFL-261 is read by query, whole, where it %s", async (_why, args) => {
    const now = running(LONG, "f");
    const { read, asked } = await scene(now, args);
    expect((await read()).messages).toEqual(transcriptMessages(now));
    expect(asked.length).toBeGreaterThan(TURNS.length);
  });

  it("WFL-352 comes from the events where no query is answered, and is known from then on", async () => {
    const { read, asked, histories } = await scene(running(LONG, "f"), continuedArguments(LONG, []), {
      isHeldBack: true,
    });
    const { messages, agent } = await read();
    expect(messages).toEqual(transcriptMessages(LONG));
    expect(agent).toEqual(LONG.head.agent);
    expect(asked).toEqual([]);
    const ofBeginning = histories.filter(({ maximumPageSize }) => maximumPageSize === 1);
    expect([histories.length, ofBeginning.length]).toEqual([2, 1]);
    expect((await read()).messages).toBe(messages);
    expect(histories).toHaveLength(2);
  });

  it("WFL-261 is read by query, whole, where the payload store has lost a segment", async () => {
    const lost = new MemoryMediaStore();
    lost.get = async () => undefined;
    const now = running(LONG, "f");
    const { read } = await scene(now, continuedArguments(LONG, []), { store: lost });
    expect((await read()).messages).toEqual(transcriptMessages(now));
  });
});

import { describe, expect, it } from "vitest";
import { recordedTranscript } from "../../src/activities/recorded-transcript.js";
import { continuedArguments } from "../../src/core/conversation/continue.js";
import type { ConversationState } from "../../src/core/conversation/state.js";
import { stageCall } from "../../src/core/conversation/tool-rounds.js";
import { transcriptMessages, transcriptRoot } from "../../src/core/conversation/transcript.js";
import { commitTurn, interruptTurn } from "../../src/core/conversation/turn.js";
import type { NativeMessage } from "../../src/core/envelope/envelope.js";
import { extendRoot } from "../../src/core/hash.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { callInput } from "../support/activity-world.js";
import { answerTo, committed, freshConversation, running } from "../support/conversation-samples.js";
import { SAMPLE_TIME } from "../support/envelope-samples.js";
import { queryHandle } from "../support/query-handle.js";
import { type RecordedRun, recordedRun } from "../support/recorded-run.js";

type Activities = NonNullable<RecordedRun["activities"]>;
interface Conversing {
  readonly state: ConversationState;
  readonly activities: Activities;
}

const BEGAN = committed(committed(freshConversation(), "a"), "b", { text: "b".repeat(200_000) });
const began: Conversing = { state: BEGAN, activities: [] };

/** The running turn's next model call, as the workflow schedules it, and the answer that it gets. */
function called({ state, activities }: Conversing, messages?: readonly NativeMessage[]) {
  const root = transcriptRoot(state);
  const result = messages === undefined ? answerTo(state) : answerTo(state, { messages });
  const answered = { ...result, root: extendRoot(root, result.messages) };
  const call = { name: "callModel", input: callInput(state, { root }), result: answered };
  return { answered, activities: [...activities, call] };
}

function turn(conversing: Conversing, id: string): Conversing {
  const state = running(conversing.state, id);
  const { answered, activities } = called({ ...conversing, state });
  return { state: commitTurn(state, answered, SAMPLE_TIME), activities };
}

/** A turn whose model has asked for a tool, in the middle of its round. */
function asking(conversing: Conversing, id: string): Conversing {
  const state = running(conversing.state, id);
  const { answered, activities } = called({ ...conversing, state });
  const tool_calls = [{ id: "c1", name: "add", arguments: {} }];
  return { state: stageCall(state, { ...answered, tool_calls }), activities };
}

function failing(conversing: Conversing): Conversing {
  const failure = { error_type: "turn.cancelled", error: "Stopped." };
  return { ...conversing, state: interruptTurn(conversing.state, failure, SAMPLE_TIME) };
}

/** What is read for the call that would come next. */
async function read(
  { state, activities }: Conversing,
  { args = continuedArguments(BEGAN, []), store }: Partial<RecordedRun> = {},
) {
  const other = { name: "callTool", input: { call: "c1" }, result: { output: 3 } };
  const run = { args, activities: [other, ...activities, { name: "callModel", input: {} }] };
  const { client } = await recordedRun(
    { ...run, ...(store === undefined ? {} : { store }) },
    queryHandle(() => state).handle,
  );
  return recordedTranscript(client, callInput(state, { root: transcriptRoot(state) }));
}

describe("a transcript from the event history", () => {
  it.each<[string, Conversing]>([
    ["what the run began with", began],
    ["and turns since", turn(turn(began, "c"), "d")],
    ["and what the running turn has staged", asking(turn(began, "c"), "d")],
    ["and no turn that failed in the middle", turn(failing(asking(turn(began, "c"), "d")), "e")],
    ["nothing, of a conversation that has just begun", { state: freshConversation(), activities: [] }],
  ])("WFL-350 holds %s", async (_what, conversing) => {
    const args = conversing.state.head.root.count === 0 ? [conversing.state.head] : undefined;
    const recorded = await read(conversing, args === undefined ? {} : { args });
    expect(recorded?.messages).toEqual(transcriptMessages(conversing.state));
    expect(recorded?.context).toEqual({ agent: BEGAN.head.agent, system: BEGAN.head.system, served: [] });
  });

  it("WFL-350 holds what a parked turn had staged in the run before this one, and leaves it out once that turn has failed", async () => {
    const parked = { ...asking(began, "c"), activities: [] };
    const args = continuedArguments(parked.state, []);
    const staged = await read(parked, { args });
    expect(staged?.messages).toEqual(transcriptMessages(parked.state));
    const gone = turn(failing(parked), "d");
    expect((await read(gone, { args }))?.messages).toEqual(transcriptMessages(gone.state));
    expect(transcriptMessages(gone.state)).toHaveLength(6);
  });

  it("WFL-350 is of the agent that a rebind within the run has brought", async () => {
    const agent = { ...BEGAN.head.agent, model: "claude-opus-4-5" };
    const given = { agent, system: null, served: [] };
    const rebinds = ["other", "digest", "later"].map((agent_digest) => ({
      name: "resolveAgent",
      input: agent_digest === "digest" ? given : { agent: { model: agent_digest } },
      result: { prefix: {}, agent_digest },
    }));
    const state = { ...BEGAN, head: { ...BEGAN.head, agent_digest: "digest" } };
    expect((await read({ state, activities: rebinds }))?.context).toEqual(given);
    expect(await read({ state, activities: rebinds.slice(0, 1) })).toBe(undefined);
  });

  const lost = new MemoryMediaStore();
  lost.get = async () => undefined;
  const later = turn(began, "c");
  const [head, ...parts] = continuedArguments(BEGAN, []);
  it.each<[string, Conversing, Partial<RecordedRun>]>([
    ["the history was converted within the run", { ...later, activities: [] }, {}],
    [
      "an answer cannot be decoded",
      { ...later, activities: [{ name: "callModel", input: "…", result: 1 }] },
      {},
    ],
    ["answers go round in a ring", { ...later, activities: ring(later) }, {}],
    ["the run began with what this build does not know", later, { args: ["…"] }],
    [
      "a part of the beginning cannot be decoded",
      later,
      { args: [head, ...parts.slice(1), { undecodable: "…" }] },
    ],
  ])("WFL-351 is not to be had where %s", async (_why, conversing, run) => {
    expect(await read(conversing, run)).toBe(undefined);
  });

  it("WFL-351 fails where the payload store has lost a part", async () => {
    await expect(read(later, { store: lost })).rejects.toThrow();
  });
});

/** An answer that names itself as what it goes on with. */
function ring({ state, activities }: Conversing): Activities {
  const [call] = activities;
  return [{ name: "callModel", input: { root: state.head.root }, result: call?.result }];
}

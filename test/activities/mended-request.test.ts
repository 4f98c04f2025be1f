import { describe, expect, it } from "vitest";
import { callProvider } from "../../src/activities/model-call.js";
import { TurnFrames } from "../../src/activities/turn-frames.js";
import type { ConversionReportEntry, NativeMessage } from "../../src/core/envelope/envelope.js";
import { EMPTY_ROOT, extendRoot } from "../../src/core/hash.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";
import { activityWorld, callInput } from "../support/activity-world.js";
import { freshConversation } from "../support/conversation-samples.js";

const question = (text: string): NativeMessage => ({ role: "user", content: text });
const use = { type: "tool_use", id: "t1", name: "look", input: {} };
const calling: NativeMessage = { role: "assistant", content: [use] };
const thinking: NativeMessage = {
  role: "assistant",
  content: [
    { type: "thinking", thinking: "Hm.", signature: "c2ln" },
    { type: "text", text: "So." },
  ],
};

async function call(
  messages: readonly NativeMessage[],
  change: { readonly served?: number; readonly turns?: number } = {},
) {
  const { dependencies, requests } = activityWorld();
  const state = freshConversation({
    agent: change.turns === undefined ? {} : { send_window: { turns: change.turns } },
  });
  const endpoint = "anthropic-messages";
  const other = { provider: "anthropic", endpoint, model: "claude-opus-5" } as const;
  const { result } = await callProvider(dependencies, {
    input: callInput(state, { root: extendRoot(EMPTY_ROOT, messages) }),
    transcript: {
      agent: state.head.agent,
      system: null,
      served: change.served === undefined ? [] : [{ to: change.served, ...other }],
      messages: deepFreeze(messages),
    },
    frames: new TurnFrames(dependencies.frames, { conversation: "review", turn: "t", attempt: 1 }),
    attempt: 1,
    signal: new AbortController().signal,
    onCall: () => 1,
  });
  return { result, request: requests[0] };
}

const said = (report: readonly ConversionReportEntry[] = []) =>
  report.map(({ kind, artefact, index }) => `${kind} ${artefact} ${index}`);

describe("a history with faults, in a call", () => {
  it("ACT-133 is mended in the request only, which the result says", async () => {
    const history = [question("A"), calling, question("Never mind."), thinking];
    const { result, request } = await call(history);
    expect(request?.messages).toHaveLength(6);
    expect(request?.messages[2]).toMatchObject({
      content: [{ type: "tool_result", tool_use_id: "t1", is_error: true }],
    });
    expect(said(result.request_mended)).toEqual(["added tool-result 1"]);
    // The question and the answer: nothing of the mending enters the history.
    expect(result.messages).toHaveLength(2);
    expect(result.root).toEqual(extendRoot(extendRoot(EMPTY_ROOT, history), result.messages));
    expect((await call([question("A"), thinking])).result).not.toHaveProperty("request_mended");
  });

  it("ACT-134 keeps what another model made known as such, wherever mending moved it", async () => {
    const history = [question("A"), calling, question("Never mind."), thinking];
    const { request } = await call(history, { served: 4 });
    expect(request?.foreign).toEqual(new Set([0, 1, 3, 4]));
  });

  it("ACT-135 names places of the history also where the send window left turns out", async () => {
    const history = [question("A"), thinking, question("B"), calling, question("C"), thinking];
    const { result } = await call(history, { turns: 3 });
    expect(result.turns_left_out).toBe(1);
    expect(said(result.request_mended)).toEqual(["added tool-result 3"]);
  });

  it("ACT-136 names at most twenty changes", async () => {
    const history = Array.from({ length: 30 }, () => [question("A"), calling]).flat();
    expect((await call(history)).result.request_mended).toHaveLength(20);
  });
});

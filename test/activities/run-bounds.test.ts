import { describe, expect, it } from "vitest";
import { callModel } from "../../src/activities/call-model.js";
import { DEFAULT_BOUNDS } from "../../src/activities/dependencies.js";
import { fullText } from "../../src/activities/run-bounds.js";
import { defineTool } from "../../src/activities/tools/define-tool.js";
import type { CallModelInput } from "../../src/core/conversation/activity-contract.js";
import { activityStage, activityWorld, callInput, replyOf } from "../support/activity-world.js";
import { freshConversation, running } from "../support/conversation-samples.js";

const add = defineTool({ name: "add", description: "Adds.", execute: () => 5 });
const MIB = 1024 * 1024;

/** The report of a call whose model asks for the tool so often, and what its readers were shown. */
async function play(calls: number, change: Partial<CallModelInput> = {}) {
  const state = running(freshConversation({ agent: { tools: [{ name: "add" }] } }), "t");
  const content = Array.from({ length: calls }, (_, at) => ({
    type: "tool_use",
    id: `c${at}`,
    name: "add",
    input: {},
  }));
  const call = async () => replyOf(calls === 0 ? {} : { messages: [{ role: "assistant", content }] });
  const world = activityWorld(call, { tools: new Map([["add", add]]) });
  const stage = activityStage({ state: () => state });
  await stage.environment
    .run(() => callModel(world.dependencies, callInput(state, change)))
    .catch(() => undefined);
  return { report: stage.reports[0], frames: world.frames };
}

describe("a run that has grown long within a turn", () => {
  it("ACT-372 is full from 20,000 events or 20 MiB on, in one line that says what to do", () => {
    const { runEvents: events, runBytes: bytes } = DEFAULT_BOUNDS;
    expect({ events, bytes }).toEqual({ events: 20_000, bytes: 20 * MIB });
    expect(fullText(undefined, DEFAULT_BOUNDS)).toBeUndefined();
    expect(fullText({ events: events - 1, bytes: bytes - 1 }, DEFAULT_BOUNDS)).toBeUndefined();
    for (const length of [
      { events, bytes: 0 },
      { events: 0, bytes },
    ])
      expect(fullText(length, DEFAULT_BOUNDS)).toMatch(
        /^The history of this turn's run is full: [^\n]* file\.$/,
      );
  });

  it("ACT-372 begins no further round of tools: the turn ends, and its readers are told", async () => {
    const { report, frames } = await play(1, { run_length: { events: 20_000, bytes: MIB } });
    expect(report).toMatchObject({
      kind: "complete",
      content: { run_full: expect.stringContaining("20000 events"), tool_calls: [{ name: "add" }] },
    });
    expect(frames.at(-1)).toMatchObject({ type: "end", state: "interrupted" });
  });

  it("ACT-372 takes the model's last answer all the same", async () => {
    const { report, frames } = await play(0, { run_length: { events: 50_000, bytes: 40 * MIB } });
    expect(report?.content).not.toHaveProperty("run_full");
    expect(frames.at(-1)).toMatchObject({ type: "end", state: "committed" });
  });
});

describe("an answer with more calls than are run", () => {
  it("ACT-370 tells its readers of each call, and at once what the model is told of one that is not run", async () => {
    const { report, frames } = await play(130);
    expect(report).toMatchObject({ kind: "complete", content: { tool_calls: { length: 130 } } });
    expect(frames.filter(({ type }) => type === "tool_call")).toHaveLength(130);
    expect(frames.filter(({ type }) => type === "tool_result")).toMatchObject([
      { call: 129, id: "c128", is_error: true, output: expect.stringContaining("at most 128") },
      { call: 130, id: "c129", is_error: true },
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { callModel } from "../../src/activities/call-model.js";
import { callTool } from "../../src/activities/tools/call-tool.js";
import { defineTool } from "../../src/activities/tools/define-tool.js";
import { TurnsAtWork } from "../../src/activities/turns-at-work.js";
import type { CallModelResult } from "../../src/core/conversation/activity-contract.js";
import { activityStage, activityWorld, callInput } from "../support/activity-world.js";
import { committed, freshConversation, running } from "../support/conversation-samples.js";

const state = running(committed(freshConversation(), "a"), "b");
const MODEL_CALL = callInput(state);
const TOOL_CALL = {
  conversation_id: MODEL_CALL.conversation_id,
  turn_id: MODEL_CALL.turn_id,
  round: 1,
  position: 1,
  call: { id: "call_1", name: "look", arguments: {} },
  known: true,
  attempt: 1,
};

/** A worker that has just been made, with one tool. */
function youngWorker() {
  const look = defineTool({ name: "look", execute: () => "found" });
  const { dependencies } = activityWorld(undefined, {
    tools: new Map([["look", look]]),
    madeMs: performance.now(),
    turnsAtWork: new TurnsAtWork(),
  });
  let root = MODEL_CALL.root;
  const stage = (attempt: number) => activityStage({ state: () => state, attempt });
  return {
    /** Goes on where its last call has ended. */
    async callsModel(turn_id = MODEL_CALL.turn_id, attempt = 1) {
      const { environment, asked, reports } = stage(attempt);
      const input = { ...MODEL_CALL, turn_id, root };
      await environment.run(() => callModel(dependencies, input)).catch(() => undefined);
      const [report] = reports;
      if (report !== undefined) ({ root } = report.content as CallModelResult);
      return asked.filter((name) => name === "turn").length;
    },
    async runsTool(turn_id = TOOL_CALL.turn_id, attempt = 1) {
      const { environment, asked } = stage(attempt);
      const outcome = await environment.run(() => callTool(dependencies, { ...TOOL_CALL, turn_id }));
      expect(outcome).toMatchObject({ output: "found" });
      return asked.filter((name) => name === "turn").length;
    },
  };
}

describe("a worker that has just started", () => {
  it("ACT-360 asks about the turn of each tool whose call it did not make", async () => {
    expect(await youngWorker().runsTool()).toBe(1);
  });

  it("ACT-400 asks no more once it has called for the turn, but about other turns and in later attempts", async () => {
    const worker = youngWorker();
    expect(await worker.callsModel()).toBe(1);
    expect(await worker.runsTool()).toBe(0);
    expect(await worker.callsModel()).toBe(0);
    expect(await worker.runsTool("another")).toBe(1);
    expect(await worker.runsTool(TOOL_CALL.turn_id, 2)).toBe(1);
  });

  it("ACT-420 asks no more about a turn that goes on from its own answer, but in later attempts", async () => {
    const worker = youngWorker();
    expect(await worker.callsModel("first")).toBe(1);
    expect(await worker.callsModel("second")).toBe(0);
    expect(await worker.callsModel("third", 2)).toBe(1);
  });

  it("ACT-420 knows histories by their conversation", () => {
    const turns = new TurnsAtWork();
    turns.addHistory({ conversation_id: "one" }, MODEL_CALL.root);
    expect(turns.hasHistory({ conversation_id: "one" }, MODEL_CALL.root)).toBe(true);
    expect(turns.hasHistory({ conversation_id: "two" }, MODEL_CALL.root)).toBe(false);
    expect(turns.hasHistory({ conversation_id: "one" }, { ...MODEL_CALL.root, digest: "f" })).toBe(false);
  });
});

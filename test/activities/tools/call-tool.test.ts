import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import { describe, expect, it } from "vitest";
import { BegunCalls } from "../../../src/activities/journal/begun-calls.js";
import type { CallJournal } from "../../../src/activities/journal/call-journal.js";
import { callTool } from "../../../src/activities/tools/call-tool.js";
import { defineTool, type ToolDefinition } from "../../../src/activities/tools/define-tool.js";
import type { ToolContext } from "../../../src/activities/tools/tool.js";
import type { CallToolInput } from "../../../src/core/conversation/activity-contract.js";
import { ROUND_SEQ } from "../../../src/core/conversation/frame.js";
import { activityStage, activityWorld } from "../../support/activity-world.js";

interface Scene {
  readonly definition?: Partial<ToolDefinition>;
  readonly input?: Partial<CallToolInput>;
  readonly stage?: ReturnType<typeof activityStage>;
  readonly journal?: CallJournal;
}

const INPUT: CallToolInput = {
  conversation_id: "review",
  turn_id: "t",
  round: 1,
  position: 2,
  call: { id: "call_1", name: "look", arguments: {} },
  known: true,
  attempt: 3,
};

async function play({ definition, input, journal, stage = activityStage() }: Scene = {}) {
  const tool = defineTool({ name: "look", execute: () => "found", ...definition });
  const world = activityWorld(undefined, {
    tools: new Map([["look", tool]]),
    ...(journal === undefined ? {} : { journal }),
  });
  const outcome: unknown = await stage.environment
    .run(() => callTool(world.dependencies, { ...INPUT, ...input }))
    .catch((error: unknown) => error);
  return { outcome, frames: world.frames, beats: stage.beats };
}

const hanging = (_args: unknown, { signal }: ToolContext) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

const failing = () => {
  throw new Error("Out of paper.");
};

describe("one call of a tool", () => {
  it("TOL-3 tells the tool which call it is, under a key that depends on nothing else", async () => {
    const seen: ToolContext[] = [];
    const execute = (_args: unknown, context: ToolContext) => void seen.push(context);
    const definition = { execute };
    await play({ definition });
    await play({ definition, stage: activityStage({ attempt: 2 }) });
    await play({ definition, input: { position: 3 } });
    expect(seen[0]).toMatchObject({
      conversationId: "review",
      turnId: "t",
      round: 1,
      position: 2,
      attempt: 1,
    });
    expect(seen[0]?.idempotencyKey).toMatch(/^[0-9a-f]{64}$/);
    expect(seen[1]?.idempotencyKey).toBe(seen[0]?.idempotencyKey);
    expect(seen[2]?.idempotencyKey).not.toBe(seen[0]?.idempotencyKey);
  });

  it("TOL-2 shows its result to the readers of the turn", async () => {
    const { frames } = await play();
    expect(frames).toMatchObject([
      { type: "tool_result", turn: "t", attempt: 3, id: "call_1", output: "found", is_error: false },
    ]);
  });

  it("STR-80 tells the readers of an approval as it begins, once, with the arguments where they were changed", async () => {
    const approval = { reason: "Fine." };
    const approved = { number: 4, approval };
    const { frames } = await play({ input: approved });
    expect(frames).toMatchObject([
      { type: "tool_approval", call: 4, id: "call_1", approved: true, reason: "Fine." },
      { type: "tool_result", call: 4 },
    ]);
    expect(frames[0]).not.toHaveProperty("arguments");
    const edited = await play({ input: { number: 4, approval: { edited: true } } });
    expect(edited.frames[0]).toMatchObject({ arguments: "{}" });
    const again = await play({ input: approved, stage: activityStage({ attempt: 2 }) });
    expect(again.frames.map(({ type }) => type)).toEqual(["tool_result"]);
  });

  it("STR-82 numbers what it tells by the time of the turn, so that nothing is lost of a call that waited for days", async () => {
    const DAY_MS = 24 * 60 * 60_000;
    const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
    const seqs: number[] = [];
    for (const days of [-0.5, 0, 0.3, 0.7, 2, 30, 50]) {
      const { frames } = await play({ input: { turn_started_at: ago(days) } });
      seqs.push(frames[0]?.seq ?? 0);
    }
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    for (const seq of seqs) {
      expect(seq).toBeGreaterThan(1.5 * ROUND_SEQ);
      expect(seq).toBeLessThan(2 * ROUND_SEQ);
    }
  });

  it("TOL-11 runs nothing for arguments that are no object, or a tool that the agent does not have", async () => {
    let runs = 0;
    const definition = { execute: () => void runs++ };
    const call = { ...INPUT.call, arguments: "{broken" };
    expect((await play({ definition, input: { call } })).outcome).toEqual({
      output: "Error: The arguments of look are no JSON object.",
      is_error: true,
    });
    const deep = { ...INPUT.call, arguments: `{"x":${"[".repeat(20_000)}${"]".repeat(20_000)}}` };
    expect((await play({ definition, input: { call: deep } })).outcome).toEqual({
      output: "Error: The arguments of look are nested too deep.",
      is_error: true,
    });
    expect((await play({ definition, input: { known: false } })).outcome).toEqual({
      output: "Error: There is no tool named look.",
      is_error: true,
    });
    expect(runs).toBe(0);
  });

  it("TOL-12 gives up a tool that does not listen, and one that does not show that it is alive", async () => {
    const late = await play({ definition: { timeout: 20, execute: () => new Promise(() => undefined) } });
    expect(late.outcome).toEqual({ output: "Error: It did not finish within 0.02 seconds.", is_error: true });
    const silent = await play({ definition: { heartbeatTimeout: 20, execute: hanging } });
    expect(silent.outcome).toEqual({
      output: "Error: It has not shown in time that it is alive.",
      is_error: true,
    });
  });

  it("TOL-13 has the next attempt know what the last one said, and counts what was thrown", async () => {
    const definition: Partial<ToolDefinition> = {
      idempotent: true,
      retry: { maximumAttempts: 3, initialInterval: 50 },
      execute: (_args, { lastHeartbeat, heartbeat }) => {
        heartbeat("half");
        throw new Error(`after ${String(lastHeartbeat)}`);
      },
    };
    const first = await play({ definition });
    expect(first.outcome).toMatchObject({
      type: "tool.error",
      message: "after undefined",
      nonRetryable: false,
      nextRetryDelay: 50,
    });
    const heartbeatDetails = first.beats.at(-1);
    expect(heartbeatDetails).toEqual({ phase: "failed", failures: 1, said: "half" });
    const second = await play({ definition, stage: activityStage({ attempt: 2, heartbeatDetails }) });
    expect(second.outcome).toMatchObject({ message: "after half", nextRetryDelay: 100 });
    const third = await play({
      definition,
      stage: activityStage({ attempt: 3, heartbeatDetails: second.beats.at(-1) }),
    });
    expect(third.outcome).toEqual({ output: "Error: after half", is_error: true });
  });

  it("TOL-13 does not repeat what the tool says is final, nor what is not idempotent", async () => {
    const definition: Partial<ToolDefinition> = {
      idempotent: true,
      execute: () => {
        throw ApplicationFailure.nonRetryable("Never.");
      },
    };
    const final = { output: "Error: Never.", is_error: true };
    expect((await play({ definition })).outcome).toEqual(final);
    expect((await play({ definition: { execute: failing } })).outcome).toMatchObject({ is_error: true });
  });

  it("TOL-14 fails the turn where onError says so", async () => {
    const { outcome, frames } = await play({ definition: { onError: "fail", execute: failing } });
    expect(outcome).toMatchObject({
      type: "tool.failed",
      nonRetryable: true,
      message: "Tool look failed the turn: Out of paper.",
      details: [{ tool_state: "settled" }],
    });
    expect(frames).toMatchObject([{ type: "end", state: "interrupted" }]);
    const quiet = await play({ definition: { onError: "fail", execute: failing }, input: { quiet: true } });
    expect(quiet.frames).toEqual([]);
  });

  it.each([
    ["settled", () => new Promise((resolve) => setTimeout(resolve, 50, "late"))],
    ["unknown", hanging],
    ["unknown", () => new Promise(() => undefined)],
  ])("TOL-20 says after a stop that the call is %s", async (tool_state, execute) => {
    const stage = activityStage();
    setTimeout(() => stage.cancel(), 20);
    const { outcome } = await play({ definition: { execute }, stage });
    expect(outcome).toBeInstanceOf(CancelledFailure);
    expect(outcome).toMatchObject({ details: [{ tool_state }] });
  });

  it("TOL-30 does not repeat what may have begun, and says what is not known", async () => {
    const stage = activityStage({ attempt: 2, heartbeatDetails: { phase: "running", failures: 0 } });
    const { outcome } = await play({ stage });
    expect(outcome).toMatchObject({
      is_error: true,
      output: expect.stringMatching(/^Error: It is not known whether look ran: its worker was lost/),
    });
    const waiting = activityStage({ attempt: 2, heartbeatDetails: { phase: "waiting", failures: 0 } });
    expect((await play({ stage: waiting })).outcome).toEqual({ output: "found", is_error: false });
  });

  it("TOL-30 tells the server that a tool begins before it does", async () => {
    let before: readonly unknown[] = [];
    const stage = activityStage();
    const execute = () => {
      before = [...stage.beats];
    };
    await play({ definition: { execute }, stage });
    expect(before[0]).toMatchObject({ phase: "running" });
    expect(stage.beats.every((beat) => (beat as { phase: string }).phase === "running")).toBe(true);
  });

  it("TOL-35 gives up an idempotent tool after as many attempts as it allows, those counted in which its worker was lost", async () => {
    let runs = 0;
    const definition: Partial<ToolDefinition> = { idempotent: true, execute: () => void runs++ };
    const stageAt = (attempt: number, details: object) =>
      activityStage({ attempt, heartbeatDetails: { phase: "running", failures: 0, ...details } });
    const again = stageAt(3, { lost: 1 });
    expect((await play({ definition, stage: again })).outcome).toMatchObject({ is_error: false });
    expect(again.beats[0]).toMatchObject({ phase: "running", lost: 2 });
    const given = "look was given up after 3 attempts: its worker was lost, or did not answer, while it ran.";
    for (const details of [{ lost: 2 }, { lost: 1, failures: 1 }])
      expect((await play({ definition, stage: stageAt(4, details) })).outcome).toEqual({
        output: `Error: ${given}`,
        is_error: true,
      });
    const ending = { ...definition, onError: "fail" as const };
    expect((await play({ definition: ending, stage: stageAt(4, { lost: 2 }) })).outcome).toMatchObject({
      type: "tool.failed",
      details: [{ tool_state: "unknown" }],
    });
    expect(runs).toBe(1);
  });

  it("TOL-39 beats once for a tool that ends at once, and not at all where it may be repeated", async () => {
    const once = activityStage();
    await play({ stage: once });
    expect(once.beats).toHaveLength(1);
    const repeatable = activityStage();
    await play({ definition: { idempotent: true }, stage: repeatable });
    expect(repeatable.beats).toEqual([]);
  });

  it("TOL-37 counts on the machine how often a local tool has begun and not ended, and gives it up", async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-begun-"));
    try {
      let runs = 0;
      const begun = new BegunCalls(folder);
      const journal = { begun, place: "here" } as unknown as CallJournal;
      const definition: Partial<ToolDefinition> = { local: true, idempotent: true, execute: () => ++runs };
      const scene = { definition, journal };
      const local = () => activityStage({ isLocal: true });
      await play({ ...scene, stage: local() });
      expect(await readdir(folder)).toEqual([]);
      // As three workers leave it that died in it.
      const kept = { begin: (key: string) => begun.begin(key), end: () => undefined };
      const dying = { begun: kept, place: "here" } as unknown as CallJournal;
      for (let worker = 0; worker < 3; worker++) await play({ definition, journal: dying, stage: local() });
      expect((await play({ ...scene, stage: local() })).outcome).toMatchObject({
        is_error: true,
        output: expect.stringMatching(/^Error: look was given up after 3 attempts: its worker was lost/),
      });
      expect(runs).toBe(4);
      const elsewhere = { begun, place: "there" } as unknown as CallJournal;
      expect((await play({ definition, journal: elsewhere, stage: local() })).outcome).toMatchObject({
        output: 5,
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("TOL-35 does not count an attempt that a worker gave up in good order", async () => {
    const stage = activityStage();
    setTimeout(() => stage.drain(), 10);
    await play({ definition: { idempotent: true, execute: hanging }, stage });
    expect(stage.beats.at(-1)).toMatchObject({ phase: "waiting", failures: 0 });
  });

  it("TOL-36 tells a tool at once that its heartbeat cannot be sent", async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    for (const details of [10n, circle, () => 1, { n: 1n }, "x".repeat(70_000)]) {
      const execute = (_args: unknown, { heartbeat }: ToolContext) => heartbeat(details);
      expect((await play({ definition: { execute } })).outcome).toMatchObject({
        is_error: true,
        output: expect.stringMatching(/^Error: heartbeat takes /),
      });
    }
  });

  it("TOL-12 counts the time in which a schema does not answer", async () => {
    const validate = () => new Promise<never>(() => undefined);
    const input = { "~standard": { version: 1, vendor: "test", validate } } as const;
    const definition = { input, inputSchema: {}, timeout: 20 } as Partial<ToolDefinition>;
    expect((await play({ definition })).outcome).toMatchObject({
      output: expect.stringMatching(/did not finish within 0\.02 seconds/),
    });
  });

  it.each([
    [
      "look was stopped: 5",
      () => Promise.reject(Object.assign(new Error("x"), { message: 5, name: "look was stopped" })),
    ],
    ["It failed without saying why.", () => Promise.reject(undefined)],
    ["It failed without saying why.", () => Promise.reject(Object.create(null))],
    ["TypeError", () => Promise.reject(new TypeError())],
    ["No paper.", () => Promise.reject({ message: "No paper." })],
    ["7", () => Promise.reject(7)],
  ])("TOL-10 has words for whatever is thrown: %s", async (text, execute) => {
    const { outcome } = await play({ definition: { execute } });
    expect(outcome).toEqual({ output: `Error: ${text}`, is_error: true });
  });

  it("TOL-33 lets a tool that may not be repeated end by itself while its worker drains", async () => {
    const stage = activityStage();
    setTimeout(() => stage.drain(), 10);
    const execute = () => new Promise((resolve) => setTimeout(resolve, 100, "in time"));
    expect((await play({ definition: { execute }, stage })).outcome).toMatchObject({ output: "in time" });
  });

  it("TOL-33 hands an idempotent tool to another worker while its own drains", async () => {
    const stage = activityStage();
    setTimeout(() => stage.drain(), 10);
    const { outcome } = await play({ definition: { idempotent: true, execute: hanging }, stage });
    expect(outcome).toBeInstanceOf(CancelledFailure);
    expect(outcome).toMatchObject({ message: "WORKER_SHUTDOWN" });
  });

  it("TOL-34 leaves a call to a worker that has the tool, and tells the model where none comes", async () => {
    const call = { ...INPUT.call, name: "elsewhere" };
    expect((await play({ input: { call } })).outcome).toMatchObject({
      type: "worker.unknown_tool",
      nonRetryable: false,
      nextRetryDelay: 1_000,
    });
    const last = activityStage({ attempt: 30 });
    expect((await play({ input: { call }, stage: last })).outcome).toMatchObject({ is_error: true });
  });
});

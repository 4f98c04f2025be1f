import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import { Agent, type AgentOptions } from "../../src/core/agent.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import { TurnInterruptedError } from "../../src/core/errors/errors.js";
import type { JsonObject } from "../../src/core/json.js";
import { collect } from "../support/collect.js";
import { replay } from "../support/replay.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import {
  countEvents,
  eventBytes,
  eventsOf,
  eventText,
  lastBeatOf,
  tasksFailedByWorker,
} from "../support/temporal-view.js";
import { PIXEL } from "../support/test-tools.js";

const HAIKU = "claude-haiku-4-5";

let stack: TestStack;
let conversations: Conversations;

beforeAll(async () => {
  stack = await startTestStack({ tools: true, bounds: { toolRounds: 3 } });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());
beforeEach(() => {
  stack.simulator.reset();
  for (const file of ["tools.log", "gate"]) rmSync(join(stack.folder, file), { force: true });
});

const start = (tools: readonly string[], change: Partial<AgentOptions> = {}): Promise<Conversation> =>
  conversations.start(new Agent({ model: HAIKU, instructions: "Be brief.", tools, ...change }));

const log = (): readonly string[] => {
  const file = join(stack.folder, "tools.log");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};

async function record(turn: Promise<unknown>): Promise<TurnInterruptedError["record"]> {
  const error: unknown = await turn.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof TurnInterruptedError) return error.record;
  throw new Error(`The turn was not interrupted: ${String(error)}`);
}

/** A reply that calls tools: name and arguments. */
function scriptCalls(...calls: readonly (readonly [name: string, args?: Record<string, unknown>])[]): void {
  const toolCalls = calls.map(([name, args = {}]) => ({ name, arguments: args as JsonObject }));
  stack.simulator.script({ reply: { reasoning: "I look first.", text: "One moment.", toolCalls } });
}

/** Each wire with the piece of thinking that its provider wants back in a tool round. */
const MODELS = [
  ["anthropic", HAIKU, { thinking: { type: "enabled", budget_tokens: 2_000 } }, /"signature":"[^"]{20,}"/],
  [
    "openai",
    "gpt-6-luna",
    { reasoning: { effort: "high", summary: "auto" } },
    /"encrypted_content":"gAAAA[^"]+"/,
  ],
  [
    "google",
    "gemini-3.5-flash-lite",
    { thinkingConfig: { includeThoughts: true } },
    /"thoughtSignature":"[^"]{20,}"/,
  ],
  [
    "fireworks",
    "accounts/fireworks/models/kimi-k3",
    { reasoning_effort: "high" },
    /"reasoning_content":"I look first\."/,
  ],
] as const;

const SUM = ["add", { a: 2, b: 3 }] as const;
const WEATHER = ["weather", { place: "Oslo" }] as const;

describe("a turn with tools", () => {
  it.each(MODELS)(
    "TOL-1 on %s runs the calls of a round side by side, and the model goes on with their results and its own thinking",
    async (_provider, model, params, thinking) => {
      const session = await start(["add", "weather"], { model, params });
      const frames = collect<Frame>(session.turn("t1").stream());
      scriptCalls(SUM, WEATHER);
      const result = await session.run("What is the sum, and the weather?", { turnId: "t1" });
      expect(result.output).toMatch(/^\[simulated].*add answered “5”.*weather answered.*Oslo/s);
      expect(result).toMatchObject({ providerCalls: 2, toolCalls: 2, attempt: 1 });
      const [first, second] = stack.simulator.calls;
      expect([first?.issues, second?.issues]).toEqual([[], []]);
      expect(JSON.stringify(second?.body)).toMatch(thinking);
      const { accounting, turn_index, messages } = await session.toEnvelope();
      expect(JSON.stringify(messages)).toMatch(thinking);
      expect(accounting.turns).toMatchObject([
        { provider_calls: 2, tool_calls: 2, raw_usage: { length: 2 }, usage: result.usage },
      ]);
      expect(turn_index).toMatchObject([{ state: "committed", from: 0, to: messages.length }]);
      const shown = (await frames).flatMap((frame) =>
        frame.type === "tool_call" || frame.type === "tool_result" ? [frame] : [],
      );
      expect(shown.map(({ type }) => type)).toEqual(["tool_call", "tool_call", "tool_result", "tool_result"]);
      expect(shown.slice(2).map((frame) => (frame.type === "tool_result" ? frame.output : ""))).toContain(
        "5",
      );
      expect((await session.run("And now?")).output).toContain("tool results in all: 2");
    },
  );

  it("TOL-46 demands a call once, where its params demand one", async () => {
    const session = await start(["add"], { params: { tool_choice: { type: "any" } } });
    scriptCalls(SUM);
    await session.run("Add.");
    const choices = stack.simulator.calls.map(({ body }) => (body as JsonObject).tool_choice);
    expect(choices).toEqual([{ type: "any" }, { type: "auto" }]);
  });

  it("TOL-2 shows nothing of itself before it is whole, and its frames count up to the end over all rounds", async () => {
    const session = await start(["wait_once"]);
    scriptCalls(["wait_once"]);
    const frames = collect<Frame>(session.turn("t1").stream());
    await session.submit("Wait.", { turnId: "t1" });
    await expect.poll(log).toHaveLength(1);
    expect(await session.messages()).toEqual([]);
    expect((await session.toEnvelope()).turn_index).toEqual([]);
    writeFileSync(join(stack.folder, "gate"), "");
    const result = await session.turn("t1").result();
    expect(result.messages).toEqual({ from: 0, to: 4 });
    const seen = (await frames).filter(({ type }) => type !== "end");
    expect(seen.every(({ seq }, index) => index === 0 || seq > (seen[index - 1]?.seq ?? 0))).toBe(true);
    expect(seen.filter(({ type }) => type === "attempt")).toHaveLength(2);
  });

  it("TOL-3 names each call by what it is: an activity of its own, a key that no other call has, a summary", async () => {
    const session = await start(["add"]);
    scriptCalls(SUM, SUM);
    scriptCalls(SUM);
    expect(await session.run("Sums.")).toMatchObject({ providerCalls: 3, toolCalls: 3 });
    const lines = log().map((line) => line.split(" "));
    expect(lines.map(([, place]) => place).sort()).toEqual(["0.0", "0.1", "1.0"]);
    expect(new Set(lines.map(([, , key]) => key)).size).toBe(3);
    const events = await eventsOf(conversations, session.id);
    const scheduled = events.flatMap(({ activityTaskScheduledEventAttributes: one, userMetadata }) =>
      one == null
        ? []
        : [[one.activityType?.name, Buffer.from(userMetadata?.summary?.data ?? []).toString()]],
    );
    expect(scheduled).toEqual([
      ["callModel", `"turn 1 · ${HAIKU}"`],
      ["callTool", '"tool add · turn 1"'],
      ["callTool", '"tool add · turn 1"'],
      ["callModel", `"turn 1 · ${HAIKU}"`],
      ["callTool", '"tool add · turn 1"'],
      ["callModel", `"turn 1 · ${HAIKU}"`],
    ]);
    expect(tasksFailedByWorker(events)).toEqual([]);
  });

  it("TOL-4 sends nothing of the history with a later call: its root and the results alone", async () => {
    const session = await start(["add"]);
    await session.run(`Remember ${"clause ".repeat(2_000)}`);
    scriptCalls(SUM);
    await session.run("Add.");
    const later = (await eventsOf(conversations, session.id))
      .filter(({ activityTaskScheduledEventAttributes: one }) => one?.activityType?.name === "callModel")
      .at(-1);
    expect(later === undefined ? "" : eventText(later)).toMatch(/"round":1,"results":\[\{.*"output":5/);
    expect(later === undefined ? 0 : eventBytes(later)).toBeLessThan(2_500);
  });
});

describe("what a tool does", () => {
  it("TOL-10 throws, is told to the model as an error", async () => {
    const session = await start(["broken"]);
    scriptCalls(["broken"]);
    expect((await session.run("Print.")).output).toContain("Error: The printer is out of paper.");
    expect(JSON.stringify(await session.messages())).toContain('"is_error":true');
  });

  it("TOL-11 gets arguments that do not fit, or has no such name, is told to the model, and nothing is run", async () => {
    const session = await start(["add"]);
    scriptCalls(["add", { a: "two" }], ["subtract"], ["weather", { place: "Oslo" }]);
    const { output } = await session.run("Add.");
    expect(output).toMatch(
      /arguments of add do not fit: a: .*no tool named subtract.*no tool named weather/s,
    );
    expect(log()).toEqual([]);
  });

  it("TOL-12 never returns, is given up when its time is up", async () => {
    const session = await start(["deaf"]);
    scriptCalls(["deaf"]);
    expect((await session.run("Call.")).output).toContain("Error: It did not finish within 0.3 seconds.");
  });

  it("TOL-13 fails and is idempotent, is tried again as often as it says, under one key", async () => {
    const session = await start(["flaky"]);
    scriptCalls(["flaky"]);
    expect((await session.run("Call.")).output).toContain("flaky answered “at last”");
    const lines = log().map((line) => line.split(" "));
    expect(lines.map(([, attempt]) => attempt)).toEqual(["1", "2", "3"]);
    expect(new Set(lines.map(([, , key]) => key)).size).toBe(1);
  });

  it("TOL-14 fails the turn where it says so: the record has the state of every call, and what was paid", async () => {
    const session = await start(["fatal", "add", "wait_once"]);
    scriptCalls(SUM);
    scriptCalls(["wait_once"], ["fatal"]);
    const found = await record(session.run("Pay."));
    expect(found).toMatchObject({
      error_type: "tool.failed",
      error: "Tool fatal failed the turn: The account is closed.",
      tool_calls: [
        { name: "add", state: "settled" },
        { name: "wait_once", state: "unknown" },
        { name: "fatal", state: "settled" },
      ],
    });
    expect(found.usage?.input_tokens).toBeGreaterThan(0);
    const { accounting } = await session.toEnvelope();
    expect(accounting.turns).toMatchObject([
      { state: "interrupted", provider_calls: 2, tool_calls: 3, raw_usage: { length: 2 } },
    ]);
    expect(await session.messages()).toEqual([]);
    expect((await session.run("And now?")).output).toContain("Nothing was said before it");
  });

  it("TOL-15 answers with more than fits, is cut with a note and kept whole in the store", async () => {
    const session = await start(["huge"]);
    scriptCalls(["huge"]);
    await session.run("Report.");
    const messages = JSON.stringify(await session.messages());
    expect(messages).toContain("[cut: the first 65536 of 1140000 bytes of what huge returned]");
    expect(messages.length).toBeLessThan(80_000);
    const { media } = await session.toEnvelope();
    expect(Object.values(media)).toMatchObject([{ size_bytes: 1_140_000, mime_type: "text/plain" }]);
  });

  it.each(MODELS)(
    "TOL-16 hands over an image, shows it to the model on %s: its bytes in the request, a marker in the history",
    async (_provider, model) => {
      const session = await start(["picture"], { model });
      scriptCalls(["picture"]);
      const { output } = await session.run("Draw.");
      expect(output).toContain("image/png");
      const [, second] = stack.simulator.calls;
      expect(second?.issues).toEqual([]);
      expect(JSON.stringify(second?.body)).toContain(PIXEL);
      expect(JSON.stringify(await session.messages())).toMatch(/\$media:[0-9a-f]{64}\.png/);
      expect((await session.toEnvelope()).media_report).toEqual([]);
      await session.run("And what was that?");
      expect(stack.simulator.calls.at(-1)?.issues).toEqual([]);
    },
  );

  it("TOL-17 looks something up at once, leaves no activity behind", async () => {
    const session = await start(["look"]);
    scriptCalls(["look", { key: "a" }], ["look", { key: "b" }]);
    expect((await session.run("Look.")).output).toMatch(/“value of a”.*“value of b”/s);
    const events = await eventsOf(conversations, session.id);
    expect(countEvents(events, "EVENT_TYPE_ACTIVITY_TASK_SCHEDULED")).toBe(2);
    expect(countEvents(events, "EVENT_TYPE_MARKER_RECORDED")).toBe(2);
  });
});

describe("many callers", () => {
  it("TOL-23 of turns with tools, who ask all the while, leave a history that replays on a worker that has seen nothing", async () => {
    const session = await start(["add", "weather", "look"]);
    let asking = true;
    const questions = Array.from({ length: 3 }, async () => {
      while (asking) await session.status();
    });
    const message = 'Call add with {"a": 1, "b": 2} and use the weather tool and use look.';
    const results = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const turn = await session.submit(message, { turnId: `t${index}` });
        return turn.result();
      }),
    );
    asking = false;
    await Promise.all(questions);
    expect(results.map(({ toolCalls }) => toolCalls)).toEqual(results.map(() => 3));
    expect((await session.status()).run_count).toBe(10);
    expect(tasksFailedByWorker(await eventsOf(conversations, session.id))).toEqual([]);
    await expect(replay(conversations, session.id)).resolves.toBeUndefined();
  });
});

describe("a turn that is stopped", () => {
  it("TOL-20 in a tool tells the tool, and its record says what is known of each call", async () => {
    const session = await start(["wait_once", "add"]);
    scriptCalls(["wait_once"], SUM);
    const turn = await session.submit("Wait.", { turnId: "t1" });
    await expect.poll(log).toHaveLength(2);
    await expect.poll(async () => (await pendingTools(session.id)).length).toBe(1);
    const stoppedAt = Date.now();
    await turn.cancel("Enough.");
    const found = await record(turn.result());
    expect(Date.now() - stoppedAt).toBeLessThan(5_000);
    expect(found).toMatchObject({
      error_type: "turn.cancelled",
      error: "Enough.",
      tool_calls: [
        { name: "wait_once", state: "unknown" },
        { name: "add", state: "settled" },
      ],
    });
    expect(log()).toContain("wait_once aborted");
    expect((await session.run("And now?")).output).toContain("Nothing was said before it");
  });

  it("TOL-21 asks for tools more often than the worker allows, ends interrupted with that reason", async () => {
    const session = await start(["add"]);
    for (let round = 0; round < 4; round++) scriptCalls(SUM);
    const found = await record(session.run("Add for ever."));
    expect(found).toMatchObject({
      error_type: "turn.too_many_rounds",
      error: expect.stringContaining("3 rounds"),
    });
    expect(found.tool_calls).toMatchObject([
      { state: "settled" },
      { state: "settled" },
      { state: "settled" },
      { state: "not_started" },
    ]);
  });

  it("TOL-22 has a tool that no worker has, is refused before the first call", async () => {
    const session = await start(["unheard_of"]);
    await expect(session.run("Call.")).rejects.toMatchObject({
      code: "TurnRefusedError",
      reason: "unknown_tool",
      message: expect.stringContaining("no tool named unheard_of"),
    });
    expect(stack.simulator.calls).toEqual([]);
  });
});

async function pendingTools(id: string): Promise<readonly unknown[]> {
  const { raw } = await conversations.temporal.workflow.getHandle(id).describe();
  return raw.pendingActivities ?? [];
}

describe("a worker that is killed", () => {
  it("TOL-30 in a tool that may not be repeated leaves a result that says so, and the turn goes on elsewhere", async () => {
    const session = await start(["wait_once"]);
    scriptCalls(["wait_once"]);
    const turn = await session.submit("Wait.", { turnId: "t1" });
    await expect.poll(log).toHaveLength(1);
    await killHolder();
    const { output } = await turn.result();
    expect(output).toContain("Error: It is not known whether wait_once ran");
    expect(log()).toHaveLength(1);
  });

  it("TOL-31 in an idempotent tool has it run again, under the next attempt", async () => {
    const session = await start(["wait_again"]);
    scriptCalls(["wait_again"]);
    const turn = await session.submit("Wait.", { turnId: "t1" });
    await expect.poll(log).toHaveLength(1);
    await killHolder();
    writeFileSync(join(stack.folder, "gate"), "");
    expect(await turn.result()).toMatchObject({ providerCalls: 2, toolCalls: 1 });
    expect(log().filter((line) => line.includes("started"))).toHaveLength(2);
  });

  it("TOL-32 between two rounds loses nothing: another one reads what is staged and goes on", async () => {
    const session = await start(["add"]);
    await session.run("Before.");
    scriptCalls(SUM);
    stack.simulator.script({ reply: { text: "Never whole." }, pace: { minimumReplyMs: 60_000 } });
    const turn = await session.submit("Add.", { turnId: "t1" });
    await stack.simulator.waitForCall(({ id }) => id === 3);
    await expect.poll(() => lastBeatOf(conversations, session.id)).toContain('"calls":1');
    await killWorkers();
    const result = await turn.result();
    expect(result).toMatchObject({
      attempt: 2,
      providerCalls: 3,
      toolCalls: 1,
      messages: { from: 2, to: 6 },
    });
    expect(result.output).toContain("add answered “5”");
    expect(stack.simulator.calls.at(-1)?.issues).toEqual([]);
    expect(log()).toHaveLength(1);
  });
});

/** The one that runs the tool, by what the tool has written. */
async function killHolder(): Promise<void> {
  const pid = Number(log().at(-1)?.split(" ")[2]);
  expect(stack.workers.map((worker) => worker.pid)).toContain(pid);
  await killWorkers();
}

async function killWorkers(): Promise<void> {
  await Promise.all(stack.workers.map((worker) => worker.kill()));
  await stack.startWorker();
}

describe("tools and their definitions", () => {
  it("ENV-390 of which the client has the name only are no change on a restore, where the worker sends them as before", async () => {
    const session = await start(["add"]);
    await session.run("First");
    const text = await session.toJson();
    const agent = new Agent({ model: HAIKU, instructions: "Be brief.", tools: ["add"] });
    const restored = await conversations.fromJson(text, { id: "restored-by-name", agent });
    expect(await restored.prefixChangeReport()).toBeNull();
    await restored.run("Second");
    expect(await restored.prefixChangeReport()).toBeNull();
    const old = await session.inspect();
    const tools = [{ name: "add", sha256: "0".repeat(64) }];
    const moved = await conversations.fromEnvelope(
      { ...old, prefix: { instructions_sha256: "", ...old.prefix, fingerprint: "1".repeat(64), tools } },
      { id: "restored-and-moved", agent },
    );
    await moved.run("Second");
    expect((await moved.prefixChangeReport())?.tools.changed).toEqual(["add"]);
  });

  it("TOL-40 of which the client has the name only are sent as the worker defines them, and count in the prefix", async () => {
    const session = await start(["add"]);
    const before = (await session.describe()).prefix;
    await session.run("Hello.");
    expect(JSON.stringify(stack.simulator.calls.at(-1)?.body)).toContain("Adds two numbers.");
    const after = await session.describe();
    expect(after.prefix.fingerprint).not.toBe(before.fingerprint);
    expect(after.prefix_change_report).toBeNull();
    await session.run("And again.");
    expect((await session.describe()).prefix).toEqual(after.prefix);
  });

  it("TOL-41 a conversation with tool rounds goes on through all four providers with its rounds intact", async () => {
    const session = await start(["add", "weather", "picture"]);
    for (const [, model] of [...MODELS, MODELS[0]]) {
      if ((await session.status()).model !== model) await session.rebind(model);
      scriptCalls(SUM, ["picture"]);
      const { output } = await session.run(`On ${model}.`);
      expect(output).toMatch(/add answered “5”.*picture answered/s);
      expect(stack.simulator.calls.flatMap(({ issues }) => issues)).toEqual([]);
    }
    expect((await session.run("How many?")).output).toContain("tool results in all: 10");
    const { conversion_report } = await session.toEnvelope();
    expect(
      conversion_report.filter(({ artefact }) => artefact === "tool-call" || artefact === "tool-result"),
    ).toEqual([]);
  });
});

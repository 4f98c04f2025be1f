import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { Conversation } from "../../src/client/conversation.js";
import { OutputParseError } from "../../src/client/output-parse-error.js";
import { Agent } from "../../src/core/agent.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import type { TurnView } from "../../src/core/conversation/messages.js";
import { prefixOf } from "../../src/core/envelope/fingerprint.js";
import { TurnInterruptedError, type TurnRefusedError, UsageError } from "../../src/core/errors/errors.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { collect } from "../support/collect.js";
import { fileStack } from "../support/file-stack.js";
import { replay } from "../support/replay.js";
import { eventsOf, tasksFailedByWorker } from "../support/temporal-view.js";

const HAIKU = "claude-haiku-4-5";

const Clause = z.object({
  title: z.string(),
  days: z.number().int().min(1).transform(String),
  parties: z.array(z.string()).default(["both"]),
});
const GOOD = { title: "Payment", days: 30 };
const BAD = { title: "Payment", days: "thirty" };

const { stack, conversations } = await fileStack({ tools: true });

const start = (model = HAIKU, tools: readonly string[] = []): Promise<Conversation> =>
  conversations.start(new Agent({ model, instructions: "Be brief.", tools }));

function answer(...texts: readonly (string | JsonObject)[]): void {
  stack.simulator.script(
    ...texts.map((text) => ({ reply: { text: typeof text === "string" ? text : JSON.stringify(text) } })),
  );
}

async function failure(turn: Promise<unknown>): Promise<unknown> {
  return turn.then(
    () => undefined,
    (reason: unknown) => reason,
  );
}

async function record(turn: Promise<unknown>): Promise<TurnInterruptedError["record"]> {
  const error = await failure(turn);
  if (error instanceof TurnInterruptedError) return error.record;
  throw new Error(`The turn was not interrupted: ${String(error)}`);
}

const bodies = (): readonly string[] => stack.simulator.calls.map(({ body }) => JSON.stringify(body));

/** A schema that leads on to the next so many times, to the last of `length`, which holds the first. */
function chained(length: number, times: number): JsonObject {
  const links = Array.from({ length }, (_, index): [string, JsonObject] => {
    const $ref = `#/$defs/d${index + 1}`;
    return [`d${index}`, { allOf: Array.from({ length: times }, () => ({ $ref })) }];
  });
  const last: JsonObject = { properties: { a: { $ref: "#" } } };
  return { $ref: "#/$defs/d0", $defs: Object.fromEntries([...links, [`d${length}`, last]]) };
}

/** Each wire with the field by which it takes the schema, and where the same schema goes beside a tool. */
const MODELS = [
  [HAIKU, '"output_config":{"format"', '"output_config":{"format"'],
  ["gpt-6-luna", '"text":{"format"', '"text":{"format"'],
  ["gemini-3.5-flash-lite", '"responseJsonSchema"', '"responseJsonSchema"'],
  ["accounts/fireworks/models/kimi-k3", '"response_format"', "Your final answer is one JSON value"],
] as const;

describe("structured output", () => {
  it.each(MODELS)(
    "OUT-1 on %s gives the value of an answer, parsed by the caller's schema",
    async (model, field) => {
      const session = await start(model);
      answer(GOOD);
      const result = await session.run("What is clause 4?", { output: Clause, turnId: "t1" });
      expectTypeOf(result.data).toEqualTypeOf<{ title: string; days: string; parties: string[] }>();
      expect(result.data).toEqual({ title: "Payment", days: "30", parties: ["both"] });
      expect([result.output, result.providerCalls]).toEqual([JSON.stringify(GOOD), 1]);
      expect(stack.simulator.calls[0]?.issues).toEqual([]);
      expect(bodies()[0]).toContain(field);
      const { result: seen } = await session.turn("t1").view();
      expect(seen).toMatchObject({ structured: true, output_data: GOOD, output: result.output });
      expect((await session.toEnvelope()).turn_index).toMatchObject([
        { state: "committed", structured: true },
      ]);
      expect("data" in (await session.run("And clause 5?"))).toBe(false);
    },
  );

  it.each(MODELS.slice(0, 2))(
    "OUT-2 on %s sends an answer back once that does not fit, and the next one replaces it",
    async (model) => {
      const session = await start(model);
      const frames = collect<Frame>(session.turn("t1").stream());
      answer(BAD, GOOD);
      const result = await session.run("What is clause 4?", { output: Clause, turnId: "t1" });
      expect(result).toMatchObject({ output: JSON.stringify(GOOD), providerCalls: 2, attempt: 2 });
      expect(result.data).toMatchObject({ days: "30" });
      expect(stack.simulator.calls.map(({ issues }) => issues)).toEqual([[], []]);
      expect(bodies()[1]).toMatch(/thirty.*does not fit the JSON Schema.*\/days: Instance type/s);
      const { messages, turn_index, accounting } = await session.toEnvelope();
      expect(turn_index).toMatchObject([{ from: 0, to: messages.length, structured: true }]);
      expect(accounting.turns).toMatchObject([
        { provider_calls: 2, usage: result.usage, raw_usage: { length: 2 } },
      ]);
      const shown = await frames;
      const texts = (attempt: number): string =>
        shown.map((frame) => (frame.type === "text" && frame.attempt === attempt ? frame.text : "")).join("");
      expect([texts(1), texts(2)]).toEqual([JSON.stringify(BAD), JSON.stringify(GOOD)]);
      expect(shown.find(({ type }) => type === "retry")).toMatchObject({
        attempt: 1,
        error_type: "turn.invalid_output",
      });
      expect(shown.at(-1)).toMatchObject({ type: "end", attempt: 2, result: { output_data: GOOD } });
    },
  );

  it("OUT-3 interrupts the turn when the answer still does not fit; a resend keeps the schema", async () => {
    const session = await start();
    answer(BAD, "Clause 4 is about payment.");
    const frames = collect<Frame>(session.turn("t1").stream());
    const kept = await record(session.run("What is clause 4?", { output: Clause, turnId: "t1" }));
    expect(kept).toMatchObject({
      error_type: "turn.invalid_output",
      error: expect.stringMatching(/also after it was sent back: .*the answer is not JSON/),
      partial_text: "Clause 4 is about payment.",
      attempts: 2,
      output_schema: { type: "object", required: ["title", "days"] },
    });
    expect((await frames).at(-1)).toMatchObject({ type: "end", state: "interrupted" });
    const { messages, accounting, interrupted_turn } = await session.toEnvelope();
    expect(messages).toEqual([]);
    expect(interrupted_turn).toEqual(kept);
    expect(accounting.turns).toMatchObject([
      {
        state: "interrupted",
        provider_calls: 2,
        error_type: "turn.invalid_output",
        raw_usage: { length: 2 },
      },
    ]);
    answer(GOOD, GOOD);
    expect((await session.resend()).data).toEqual(GOOD);
    expect(bodies()[2]).toContain('"output_config":{"format"');
  });

  it.each([
    ["length", /cut at its limit of tokens \(max_tokens\)/],
    ["content_filter", /refused to answer \(refusal\)/],
  ] as const)("OUT-4 sends nothing back that was ended by %s, and says so", async (finishReason, error) => {
    const session = await start();
    stack.simulator.script({ reply: { text: '{"title": "Pay', finishReason } });
    const kept = await record(session.run("What is clause 4?", { output: Clause }));
    expect(kept).toMatchObject({ error_type: "turn.invalid_output", partial_text: '{"title": "Pay' });
    expect(kept.error).toMatch(error);
    expect(stack.simulator.calls).toHaveLength(1);
  });

  it.each(MODELS)(
    "OUT-5 on %s holds the final answer against the schema, after rounds of tools and a repair",
    async (model, _field, beside) => {
      const session = await start(model, ["add"]);
      stack.simulator.script({ reply: { toolCalls: [{ name: "add", arguments: { a: 10, b: 20 } }] } });
      answer(BAD);
      stack.simulator.script({ reply: { toolCalls: [{ name: "add", arguments: { a: 15, b: 15 } }] } });
      answer(GOOD);
      const result = await session.run("How many days?", { output: Clause });
      expect(result.data).toMatchObject({ days: "30" });
      expect(result).toMatchObject({ providerCalls: 4, toolCalls: 2, output: JSON.stringify(GOOD) });
      expect(stack.simulator.calls.map(({ issues }) => issues)).toEqual([[], [], [], []]);
      for (const body of bodies()) expect(body).toContain(beside);
    },
  );

  it("OUT-6 counts a repaired turn as one where an agent's window leaves turns out", async () => {
    const agent = new Agent({ model: HAIKU, sendWindow: { turns: 1 }, output: Clause });
    const session = await conversations.start(agent);
    answer("Hello.", GOOD, BAD, GOOD, GOOD);
    await session.run("First question");
    const { turnsLeftOut } = await session.run("Second question");
    await session.run("Third question");
    expect(turnsLeftOut).toBe(1);
    const questions = bodies().map((body) => body.match(/(First|Second|Third) question/g)?.join());
    expect(questions).toEqual(
      ["First question", "First question", "Second question", "Second question", "Third question"].map(
        (text) => text,
      ),
    );
  });

  it("OUT-7 an agent's output counts for every turn, rides the envelope, and is no part of the prefix", async () => {
    const agent = new Agent({ model: HAIKU, instructions: "Be brief.", output: Clause });
    const session = await conversations.start(agent);
    answer(GOOD);
    const result = await session.run("What is clause 4?");
    expectTypeOf(result.data.days).toEqualTypeOf<string>();
    expect(result.data).toEqual({ title: "Payment", days: "30", parties: ["both"] });
    const text = await session.toJson();
    const { agent: saved, prefix } = JSON.parse(text);
    expect(saved.output_schema).toEqual(agent.spec.output_schema);
    expect(prefix).toEqual(prefixOf({ instructions: "Be brief.", tools: [] }));
    const restored = await conversations.fromJson(text, { id: `${session.id}-2` });
    answer(GOOD, { answer: 42 }, "Free again.");
    expect((await restored.run("Once more?")).data).toEqual(GOOD);
    const other: JsonObject = {
      type: "object",
      properties: { answer: { type: "number" } },
      required: ["answer"],
    };
    const once = await restored.run("A number?", { output: { schema: other, name: "number" } });
    expectTypeOf(once.data).toEqualTypeOf<JsonValue>();
    expect(once.data).toEqual({ answer: 42 });
    await restored.rebind(new Agent({ model: "gpt-6-luna", instructions: "Be brief." }));
    expect("data" in (await restored.run("And freely?"))).toBe(false);
  });

  it("OUT-8 takes output_schema in a submission of any language, and refuses a turn whose schema is none", async () => {
    const session = await start();
    answer(GOOD);
    const handle = conversations.temporal.workflow.getHandle(session.id);
    const schema = { type: "object", properties: { days: { type: "integer" } }, required: ["days"] };
    await handle.signal("submit_turn", { message: "Clause 4?", turn_id: "raw", output_schema: schema });
    await session.turn("raw").result();
    const view = await handle.query<TurnView, [{ turn_id: string }]>("turn", { turn_id: "raw" });
    expect(view.result).toMatchObject({ structured: true, output_data: GOOD });
    await handle.signal("submit_turn", { message: "?", turn_id: "bad", output_schema: { type: "strin" } });
    expect(await failure(session.turn("bad").result())).toMatchObject({
      code: "TurnRefusedError",
      reason: "output_schema",
      message: expect.stringContaining("no JSON Schema (/type"),
    } satisfies Partial<Record<keyof TurnRefusedError, unknown>>);
    await handle.signal("submit_turn", { message: "?", turn_id: "list", output_schema: [] });
    expect((await session.status()).refusals.at(-1)?.error).toMatch(
      /`output_schema`: expected a JSON Schema/,
    );
    expect(stack.simulator.calls).toHaveLength(1);
  });

  it("OUT-22 refuses a turn for a schema that no check could end on, and its worker goes on", async () => {
    const session = await start();
    const handle = conversations.temporal.workflow.getHandle(session.id);
    await handle.signal("submit_turn", { message: "?", turn_id: "slow", output_schema: chained(40, 2) });
    expect(await failure(session.turn("slow").result())).toMatchObject({
      code: "TurnRefusedError",
      reason: "output_schema",
      message: expect.stringContaining("unfold to more than"),
    } satisfies Partial<Record<keyof TurnRefusedError, unknown>>);
    const unsent = failure(session.run("?", { output: { schema: chained(40, 2) } }));
    expect(await unsent).toBeInstanceOf(UsageError);
    expect(stack.simulator.calls).toEqual([]);
  });

  it("OUT-23 ends a turn once whose answer cannot be checked, and counts what it has cost", async () => {
    const session = await start();
    let deep: JsonValue = 1;
    for (let level = 0; level < 190; level += 1) deep = { a: deep };
    answer(deep as JsonObject);
    const kept = await record(session.run("?", { output: { schema: chained(45, 1) } }));
    expect(kept).toMatchObject({
      error_type: "turn.invalid_output",
      error: expect.stringMatching(/could not be held against its JSON Schema/),
      attempts: 1,
    });
    const { accounting } = await session.toEnvelope();
    expect(accounting.totals).toMatchObject({ provider_calls: 1 });
    expect(accounting.totals.usage.output_tokens).toBeGreaterThan(0);
    expect(stack.simulator.calls).toHaveLength(1);
  });

  it("OUT-9 an answer that the caller's own schema does not take is an error that has the committed turn", async () => {
    const session = await start();
    answer(GOOD, GOOD);
    const Longer = z.object({ title: z.string(), days: z.number().refine((days) => days > 60, "too short") });
    const error = await failure(session.run("Clause 4?", { output: Longer, turnId: "t1" }));
    expect(error).toBeInstanceOf(OutputParseError);
    expect(error).toMatchObject({
      issues: ["days: too short"],
      result: { turnId: "t1", data: GOOD, providerCalls: 1 },
    });
    expect((await session.turn("t1").view()).state).toBe("committed");
    const turn = await session.submit("Clause 4?", { output: Longer });
    expect(await failure(turn.result())).toBeInstanceOf(OutputParseError);
    expect(await failure(session.run("Clause 4?", { output: Clause, turnId: "t1" }))).toBe(undefined);
  });

  it("OUT-10 refuses an output that is no schema before anything is sent", async () => {
    const session = await start();
    const bad: readonly unknown[] = [
      "object",
      { schema: { type: "strin" } },
      { schema: { $ref: "#/$defs/nowhere" } },
      { schema: { type: "string", pattern: "(" } },
      { schema: { properties: { text: { description: "x".repeat(40_000) } } } },
      { scheme: {} },
      z.custom<string>(() => true).and(z.date()),
    ];
    for (const output of bad) {
      expect(
        await failure(session.run("?", { output: output as never })),
        JSON.stringify(output),
      ).toBeInstanceOf(UsageError);
    }
    expect(() => new Agent({ model: HAIKU, output: z.date() })).toThrow(UsageError);
    await expect(
      conversations.start(new Agent({ model: HAIKU, output: { schema: { type: "x" } } })),
    ).rejects.toThrow(/output is no valid JSON Schema: \/type/);
    expect(stack.simulator.calls).toHaveLength(0);
  });

  it("OUT-11 replays without a fault", async () => {
    const session = await start();
    answer(BAD, GOOD);
    await session.run("What is clause 4?", { output: Clause });
    expect(tasksFailedByWorker(await eventsOf(conversations, session.id))).toEqual([]);
    await replay(conversations, session.id);
  });
});

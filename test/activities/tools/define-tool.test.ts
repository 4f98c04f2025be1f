import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { defineTool, type ToolDefinition } from "../../../src/activities/tools/define-tool.js";
import { isTool } from "../../../src/activities/tools/tool.js";
import { UsageError } from "../../../src/core/errors/errors.js";

const execute = () => "done";
const schema = z.object({ place: z.string().describe("Where"), days: z.number().default(1) });

describe("defineTool", () => {
  it("TOL-5 takes a schema of zod, gives its JSON Schema, and hands over what the schema makes of the arguments", async () => {
    const tool = defineTool({
      name: "weather",
      description: "Tells the weather.",
      input: schema,
      execute: ({ place, days }) => {
        expectTypeOf(place).toEqualTypeOf<string>();
        expectTypeOf(days).toEqualTypeOf<number>();
      },
    });
    expect(isTool(tool)).toBe(true);
    expect(tool.input_schema).toEqual({
      type: "object",
      properties: { place: { type: "string", description: "Where" }, days: { type: "number", default: 1 } },
      required: ["place"],
    });
    expect(await tool.check({ place: "Oslo" })).toEqual({ value: { place: "Oslo", days: 1 } });
    expect(await tool.check({ place: 7, days: "x" })).toEqual({
      issues: [expect.stringMatching(/^place: /), expect.stringMatching(/^days: /)],
    });
  });

  it("TOL-5 takes a schema of a library without a JSON Schema where `inputSchema` says it", async () => {
    const input = v.object({ place: v.string() });
    expect(() => defineTool({ name: "weather", input, execute })).toThrow(
      "valibot gives no JSON Schema by itself. Add it: defineTool({ …, inputSchema }).",
    );
    const inputSchema = { type: "object", properties: { place: { type: "string" } } };
    const tool = defineTool({ name: "weather", input, inputSchema, execute });
    expect(tool.input_schema).toEqual(inputSchema);
    expect(await tool.check({})).toEqual({ issues: [expect.stringMatching(/^place: /)] });
    const converted = defineTool({ name: "weather", input: toStandardJsonSchema(input), execute });
    expect(converted.input_schema).toMatchObject(inputSchema);
  });

  it("TOL-5 takes any object where there is no schema", async () => {
    const tool = defineTool({ name: "weather", execute });
    expect(tool.input_schema).toEqual({ type: "object", properties: {} });
    expect(await tool.check({ any: 1 })).toEqual({ value: { any: 1 } });
  });

  it("TOL-5 gives times as milliseconds, with defaults: one attempt, or three of an idempotent tool", () => {
    const once = defineTool({ name: "a", execute, timeout: "2 minutes", heartbeatTimeout: 500 });
    expect(once).toMatchObject({
      timeoutMs: 120_000,
      heartbeatTimeoutMs: 500,
      retry: { maximumAttempts: 1 },
    });
    const again = defineTool({ name: "a", execute, idempotent: true, retry: { initialInterval: "5s" } });
    expect(again.retry).toEqual({ maximumAttempts: 3, initialMs: 5_000, coefficient: 2, maximumMs: 60_000 });
    expect(defineTool({ name: "a", execute, idempotent: true, local: true }).timeoutMs).toBe(2_000);
  });

  it.each([
    [{ nam: "a" }, /no option "nam": did you mean name\?/],
    [{ name: "has spaces" }, /"has spaces" does not fit every provider/],
    [{ execute: "later" }, /Tool a takes execute: a function/],
    [{ description: 7 }, /description: a text/],
    [{ input: {} }, /input: a schema with the Standard Schema interface/],
    [{ inputSchema: [] }, /inputSchema: a JSON Schema/],
    [{ idempotent: "yes" }, /idempotent: true or false/],
    [{ onError: "ignore" }, /onError: "tell" or "fail"/],
    [{ local: true }, /local: true only with idempotent: true/],
    [{ local: true, idempotent: true, timeout: "5s" }, /at most 2 seconds for a local tool/],
    [{ timeout: "soon" }, /timeout is a time such as "30 seconds"/],
    [{ timeout: 0 }, /timeout is a time/],
    [{ timeout: "25 days" }, /timeout is a time .* at most one hour, as a turn may take/],
    [{ timeout: Number.NaN }, /timeout is a time/],
    [{ heartbeatTimeout: Number.POSITIVE_INFINITY }, /heartbeatTimeout is a time/],
    [{ retry: { maximumInterval: Number.POSITIVE_INFINITY } }, /a time up to one hour/],
    [{ retry: { maximumAttempts: 0 } }, /maximumAttempts: from 1/],
    [{ input: z.string() }, /its input is no object/],
    [{ input: z.object({ at: z.date() }) }, /its input has no JSON Schema \(.*\)\. Add one/],
  ])("TOL-6 refuses %j in one line", (change, message) => {
    const definition = { name: "a", execute, ...change } as ToolDefinition;
    expect(() => defineTool(definition)).toThrow(UsageError);
    expect(() => defineTool(definition)).toThrow(message);
  });
});

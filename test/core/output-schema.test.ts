import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/core/agent.js";
import { answerText } from "../../src/core/dialects/answer-text.js";
import { anthropic } from "../../src/core/dialects/anthropic/index.js";
import { isRepair, repairText } from "../../src/core/dialects/repair-message.js";
import { toldSchemaIn, toldSchemaText } from "../../src/core/dialects/told-schema.js";
import { checkAgent } from "../../src/core/envelope/check-agent.js";
import { prefixOf } from "../../src/core/envelope/fingerprint.js";
import { turnRanges } from "../../src/core/envelope/turn-ranges.js";
import { UsageError } from "../../src/core/errors/errors.js";
import { outputSchemaIssue, outputSchemaOf, parseOutput } from "../../src/core/output-schema.js";

const OBJECT = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };

describe("the schema of an answer", () => {
  it("OUT-19 comes from a library's schema or is given, the name as its title", () => {
    expect(outputSchemaOf("run", z.object({ a: z.string() }))).toMatchObject(OBJECT);
    expect(outputSchemaOf("run", toStandardJsonSchema(v.object({ a: v.string() })))).toMatchObject(OBJECT);
    const given = {
      schema: { ...OBJECT, $schema: "https://json-schema.org/draft/2020-12/schema" },
      name: "clause",
    };
    expect(outputSchemaOf("run", given)).toEqual({ ...OBJECT, title: "clause" });
    expect(() => outputSchemaOf("run", v.object({ a: v.string() }))).toThrow(
      /^run: valibot gives no JSON Schema of output by itself\. Give its JSON Schema: output: \{ schema \}\.$/,
    );
  });

  it("OUT-10 is refused where it is none, holds what no envelope takes, or has more than 32 KiB", () => {
    for (const output of ["a", 1, [], { schema: [] }, { schema: {}, title: "a" }, { schema: {}, name: "" }])
      expect(() => outputSchemaOf("run", output), JSON.stringify(output)).toThrow(UsageError);
    expect(outputSchemaIssue({ description: "x".repeat(32 * 1024) })).toMatch(
      /has \d+ bytes, and may have 32768/,
    );
    expect(outputSchemaIssue(JSON.parse('{"__proto__": {}}'))).toMatch(/no such key/);
    expect(outputSchemaIssue({ properties: { constructor: { type: "string" } } })).toBeUndefined();
  });

  it("OUT-7 stands in the agent's definition and comes back from it, beside the prefix", () => {
    const agent = new Agent({ model: "claude-haiku-4-5", output: z.object({ a: z.string() }) });
    expect(Agent.fromSpec(agent.spec).spec).toEqual(agent.spec);
    const { output_schema: _, ...plain } = agent.spec;
    expect(prefixOf(agent.spec)).toEqual(prefixOf(plain));
    expect(checkAgent(agent.spec, "agent")).toEqual([]);
    expect(checkAgent({ ...plain, output_schema: [] }, "agent")).toMatchObject([
      { path: "agent.output_schema" },
    ]);
  });

  it("OUT-18 reads one JSON value, and no other text", () => {
    expect(parseOutput(" null ")).toEqual({ value: null });
    expect(parseOutput("```json\n[1]\n```\n")).toEqual({ value: [1] });
    for (const text of ["", "a", "{} {}", "```json\n{}\n```\nDone."])
      expect(parseOutput(text)).toBeUndefined();
  });

  it("OUT-13 told in words, it is read back from them", () => {
    const text = `Be brief.\n\n${toldSchemaText(OBJECT)}\n\nClause 4 is long.`;
    expect(toldSchemaIn(text)).toEqual(OBJECT);
    expect(toldSchemaIn("Be brief.")).toBeUndefined();
  });

  it("OUT-6 the message that sends an answer back starts no turn, and the answer of a turn is what follows it", () => {
    const back = anthropic.userMessage(repairText(["/a: wrong"]), []);
    const said = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] });
    const question = anthropic.userMessage("Clause 4?", []);
    const turn = [question, said("first"), back, said("second")];
    expect([isRepair(question), isRepair(back)]).toEqual([false, true]);
    expect(turnRanges([...turn, question, said("third")], anthropic.startsTurn)).toEqual([
      { from: 0, to: 4 },
      { from: 4, to: 6 },
    ]);
    expect(answerText(anthropic, turn)).toBe("second");
  });
});

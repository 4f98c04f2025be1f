import { describe, expect, it } from "vitest";
import { readNativeHistory, withPlacedSystem } from "../../../src/core/dialects/native-history.js";
import { InvalidHistoryError } from "../../../src/core/errors/errors.js";
import * as core from "../../../src/core/index.js";
import { DIALECT_NAMES, type DialectName } from "../../../src/core/providers.js";
import { sampleEnvelope, sampleHistory } from "../../support/envelope-samples.js";

const OBJECTS: Readonly<Record<DialectName, readonly [list: string, system: string]>> = {
  anthropic: ["messages", "system"],
  openai: ["input", "instructions"],
  google: ["contents", "systemInstruction"],
  fireworks: ["messages", "system"],
};

function refusalOf(value: unknown, dialect: DialectName): InvalidHistoryError {
  try {
    readNativeHistory(value, dialect, "history.json");
  } catch (error) {
    if (error instanceof InvalidHistoryError) return error;
    throw error;
  }
  throw new Error("It was taken.");
}

describe("readNativeHistory", () => {
  it.each(DIALECT_NAMES)("DIA-350 reads a list, and an object under the wire's own names: %s", (dialect) => {
    const messages = sampleHistory(dialect, 2);
    const [list, system] = OBJECTS[dialect];
    expect(readNativeHistory(messages, dialect)).toEqual({ messages, system: null });
    const object = { [list]: messages, [system]: "Be brief.", model: "any" };
    expect(readNativeHistory(object, dialect)).toEqual({ messages, system: "Be brief." });
    expect(readNativeHistory({ messages, system: "As convert prints it." }, dialect)).toEqual({
      messages,
      system: "As convert prints it.",
    });
    expect(readNativeHistory({ from: dialect, input: object }, dialect).system).toBe("Be brief.");
    expect(readNativeHistory({ title: "a case", input: messages }, dialect).messages).toBe(messages);
    expect(readNativeHistory([], dialect)).toEqual({ messages: [], system: null });
  });

  it("DIA-350 reads system text as a text, as blocks and as a content", () => {
    const system = (value: unknown) => readNativeHistory({ messages: [], system: value }, "google").system;
    expect(system([{ type: "text", text: "One." }, { text: "Two." }])).toBe("One.\n\nTwo.");
    expect(system({ role: "system", parts: [{ text: "One." }] })).toBe("One.");
    expect([system(""), system(null), system(undefined), system([])]).toEqual([null, null, null, null]);
  });

  it.each(DIALECT_NAMES)("DIA-351 names index, path and what was expected: %s", (dialect) => {
    const messages = [...sampleHistory(dialect, 1), { role: "robot" }, 7];
    const error = refusalOf(messages, dialect);
    expect(error.exitCode).toBe(3);
    expect(error.message).toMatch(/^history\.json .* not valid for \w+: messages\[2\]\.?\w*: expected /);
    expect(new Set(error.issues.map(({ index }) => index))).toEqual(new Set([2, 3]));
    expect(error.issues.every(({ expected }) => expected !== "")).toBe(true);
  });

  it("DIA-351 names system text that is none", () => {
    const error = refusalOf({ messages: [], system: [{ type: "image" }] }, "anthropic");
    expect(error.issues).toEqual([
      { index: 0, path: "system", expected: "a text, or a list of text blocks" },
    ]);
    expect(error.message).toBe(
      "history.json has system text that is none: expected a text, or a list of text blocks.",
    );
  });

  it.each([
    [{ object: "response", output: [] }, "an OpenAI Responses reply"],
    [{ candidates: [] }, "a Gemini reply"],
    [{ contents: [] }, "a Gemini request"],
    [{ input: { input: [] } }, "some other JSON document"],
    [sampleEnvelope("anthropic", 1), "a Holdfast envelope, which names its dialect itself"],
    [null, "null"],
    ["Hello", "a string"],
  ])("DIA-351 says what foreign JSON seems to be: %#", (value, guess) => {
    const { message } = refusalOf(value, "anthropic");
    expect(message).toBe(
      `history.json is not a history of anthropic: it looks like ${guess}. Give a list of messages, or an object that has it as messages.`,
    );
  });

  it("DIA-352 refuses hostile keys and depths in one line, with their place", () => {
    const nested = JSON.parse(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`);
    const question = { role: "user", content: "Hi." };
    const deep = refusalOf([question, { ...question, extra: nested }], "anthropic");
    expect(deep.issues).toMatchObject([{ index: 1, path: expect.stringMatching(/^extra\.a/) }]);
    expect(deep.message).toMatch(/expected at most 200 levels of nesting/);
    expect(deep.message.length).toBeLessThan(400);
    const polluted = JSON.parse('[{"role":"user","content":"Hi.","__proto__":{"x":1}}]');
    expect(refusalOf(polluted, "openai").issues).toMatchObject([{ index: 0, path: "__proto__" }]);
    const endless: { role: string; self?: unknown } = { role: "user" };
    endless.self = endless;
    expect(refusalOf([endless], "google").message).toMatch(/levels of nesting/);
  });

  it("DIA-353 puts system text into the one place that the dialect has for it", () => {
    const placed = (dialect: DialectName) => {
      const messages = sampleHistory(dialect, 1);
      const history = withPlacedSystem({ messages, system: "Be brief." }, dialect);
      return [history.messages.slice(0, -messages.length), history.system];
    };
    expect(placed("anthropic")).toEqual([[], "Be brief."]);
    expect(placed("google")).toEqual([[], "Be brief."]);
    expect(placed("openai")).toEqual([[{ role: "developer", content: "Be brief." }], null]);
    expect(placed("fireworks")).toEqual([[{ role: "system", content: "Be brief." }], null]);
    const none = { messages: [], system: null };
    expect(withPlacedSystem(none, "openai")).toBe(none);
  });

  it("DIA-354 is exported by the core beside the conversion and the fork", () => {
    const history = core.readNativeHistory(sampleHistory("openai", 2), "openai");
    const converted = core.convert({ from: "openai", to: "google", ...history });
    expect(converted.messages.map(({ role }) => role)).toEqual(["user", "model", "user", "model"]);
    const envelope = core.envelopeOfHistory(history, { provider: "openai", now: "2026-01-31T12:00:00.000Z" });
    const target = { provider: "anthropic", model: "claude-haiku-4-5" } as const;
    expect(core.convertEnvelope(core.forkEnvelope(envelope, 1), target).messages).toHaveLength(2);
  });
});

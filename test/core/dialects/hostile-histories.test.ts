import { describe, expect, it } from "vitest";
import { convertHistory } from "../../../src/core/dialects/convert.js";
import type { NativeMessage } from "../../../src/core/envelope/envelope.js";
import { InvalidHistoryError } from "../../../src/core/errors/errors.js";
import type { JsonObject } from "../../../src/core/json.js";
import { DIALECT_NAMES, type DialectName } from "../../../src/core/providers.js";
import { issuesOf } from "./wire-rules.js";

type Histories = Readonly<Record<DialectName, readonly NativeMessage[]>>;

/** One round of calls, answered last call first. */
function rounds(count: number, idOf: (index: number) => string, input: JsonObject, text: string): Histories {
  const name = "look";
  const numbers = Array.from({ length: count }, (_, index) => index);
  const back = numbers.toReversed();
  const words = { role: "user", content: "Go." };
  return {
    anthropic: [
      words,
      { role: "assistant", content: numbers.map((at) => ({ type: "tool_use", id: idOf(at), name, input })) },
      {
        role: "user",
        content: back.map((at) => ({ type: "tool_result", tool_use_id: idOf(at), content: "r" })),
      },
    ],
    openai: [
      words,
      ...numbers.map((at) => ({ type: "function_call", call_id: idOf(at), name, arguments: text })),
      ...back.map((at) => ({ type: "function_call_output", call_id: idOf(at), output: "r" })),
    ],
    google: [
      { role: "user", parts: [{ text: "Go." }] },
      { role: "model", parts: numbers.map((at) => ({ functionCall: { id: idOf(at), name, args: input } })) },
      {
        role: "user",
        parts: back.map((at) => ({ functionResponse: { id: idOf(at), name, response: { output: "r" } } })),
      },
    ],
    fireworks: [
      words,
      {
        role: "assistant",
        content: null,
        tool_calls: numbers.map((at) => ({
          id: idOf(at),
          type: "function",
          function: { name, arguments: text },
        })),
      },
      ...back.map((at) => ({ role: "tool", tool_call_id: idOf(at), content: "r" })),
    ],
  };
}

const MANY = 10_000;
const DEPTH = 10_000;
const distinct = (at: number): string => `call_${at}`;

function nested(depth: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 0; level < depth; level++) value = { in: value };
  return value;
}

const directions = DIALECT_NAMES.flatMap((from) =>
  DIALECT_NAMES.filter((to) => to !== from).map((to) => ({ from, to })),
);

describe.each(directions)("$from -> $to", ({ from, to }) => {
  it.each([
    ["ten thousand parallel calls", rounds(MANY, distinct, {}, "{}")],
    ["ids of a megabyte", rounds(3, (at) => `${at}${"i".repeat(1_000_000)}`, {}, "{}")],
    ["a thousand calls of one id", rounds(1_000, () => "same", {}, "{}")],
  ])("DIA-336 carries %s there and back", (_name, histories) => {
    const messages = histories[from];
    const there = convertHistory({ from, to, messages });
    expect(issuesOf(to, there.messages, there.system, 1e9)).toEqual([]);
    const back = convertHistory({ from: to, to: from, ...there });
    expect(JSON.stringify(back.messages)).toBe(JSON.stringify(messages));
  });

  it("DIA-336 carries arguments nested without end, or refuses them by their place", () => {
    const text = `${'{"in":'.repeat(DEPTH)}{}${"}".repeat(DEPTH)}`;
    const messages = rounds(1, distinct, nested(DEPTH), text)[from];
    const isText = from === "openai" || from === "fireworks";
    const convert = (): number => convertHistory({ from, to, messages }).messages.length;
    if (isText) expect(convert()).toBeGreaterThan(0);
    else expect(convert).toThrow(InvalidHistoryError);
  });

  it("DIA-336 carries a message of a hundred thousand parts", () => {
    const count = 100_000;
    const parts = (part: JsonObject): readonly JsonObject[] => Array.from({ length: count }, () => part);
    const messages: Histories = {
      anthropic: [{ role: "user", content: parts({ type: "text", text: "t", unheard: 1 }) }],
      openai: [{ role: "user", content: parts({ type: "input_text", text: "t", unheard: 1 }) }],
      google: [{ role: "user", parts: parts({ text: "t", unheard: 1 }) }],
      fireworks: [{ role: "user", content: parts({ type: "text", text: "t", unheard: 1 }) }],
    };
    expect(convertHistory({ from, to, messages: messages[from] }).report).toHaveLength(count);
  });
});

describe("system text that was added on the way", () => {
  it.each(["anthropic", "google"] as const)("DIA-337 is told after the text that %s had", (from) => {
    const ask = {
      anthropic: { role: "user", content: "Hi" },
      google: { role: "user", parts: [{ text: "Hi" }] },
    };
    const there = convertHistory({ from, to: "openai", messages: [ask[from]], system: "Be brief." });
    const added = [
      { role: "developer", content: "Now rhyme." },
      { role: "user", content: "Again?" },
    ];
    const back = convertHistory({
      from: "openai",
      to: from,
      ...there,
      messages: [...there.messages, ...added],
    });
    expect(back.system).toBe("Be brief.\n\nNow rhyme.");
    expect(back.messages[0]).toEqual(ask[from]);
    expect(back.report.map(({ kind, artefact }) => [kind, artefact])).toEqual([["moved", "system"]]);
  });
});

import { describe, expect, it } from "vitest";
import { convertHistory } from "../../../../src/core/dialects/convert.js";
import type { NativeMessage } from "../../../../src/core/envelope/envelope.js";
import type { JsonObject } from "../../../../src/core/json.js";

/** So many that what grows by their square would not end within a test. */
const MANY = 100_000;

const many = <T>(one: (index: number) => T): readonly T[] =>
  Array.from({ length: MANY }, (_, index) => one(index));
const ask: NativeMessage = { role: "user", parts: [{ text: "Go." }] };
const call = (id: string): JsonObject => ({ functionCall: { id, name: "look", args: {} } });
const response = (id: string, more: JsonObject = {}): JsonObject => ({
  functionResponse: { id, name: "look", response: { output: "r" }, ...more },
});

const HISTORIES: readonly (readonly [string, () => readonly NativeMessage[], number])[] = [
  [
    "responses to one call, each in a content of its own",
    () => [
      ask,
      { role: "model", parts: [call("c")] },
      ...many((at) => ({ role: "user", parts: [response("c", { willContinue: at < MANY - 1 })] })),
    ],
    3,
  ],
  [
    "calls that are all answered in two steps",
    () => [
      ask,
      { role: "model", parts: many((at) => call(`c${at}`)) },
      { role: "user", parts: many((at) => response(`c${at}`, { willContinue: true })) },
      { role: "user", parts: many((at) => response(`c${at}`)) },
    ],
    1 + 2 * MANY,
  ],
  [
    "pieces of the arguments of one call",
    () => [
      ask,
      {
        role: "model",
        parts: [
          { functionCall: { id: "c", name: "look", willContinue: true } },
          ...many((at) => ({
            functionCall: {
              willContinue: at < MANY - 1,
              partialArgs: [{ jsonPath: `$.list[${at}]`, numberValue: at }],
            },
          })),
        ],
      },
      { role: "user", parts: [response("c")] },
    ],
    3,
  ],
];

describe("a Gemini history of a hundred thousand", () => {
  it.each(HISTORIES)(
    "DIA-221 %s is read, and comes back",
    (_, make, items) => {
      const messages = make();
      const there = convertHistory({ from: "google", to: "openai", messages });
      expect(there.messages).toHaveLength(items);
      const back = convertHistory({ from: "openai", to: "google", ...there });
      expect(back.messages).toHaveLength(messages.length);
      // As text: to compare a hundred thousand parts one by one takes longer than all the rest.
      expect(JSON.stringify(back.messages.at(-1))).toBe(JSON.stringify(messages.at(-1)));
    },
    30_000,
  );
});

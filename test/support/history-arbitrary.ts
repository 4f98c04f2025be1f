/** Random histories that are valid in their dialect, and what in them must survive any conversion. */
import fc from "fast-check";
import type { NativeMessage } from "../../src/core/envelope/envelope.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import type { DialectName } from "../../src/core/providers.js";
import { RENDERERS } from "./history-renderers.js";

export interface SaidCall {
  /** Null where the wire needs none; several calls may have the same one. */
  readonly id: string | null;
  readonly name: string;
  /** Raw text where the model wrote no JSON object; for the wires on which arguments are text. */
  readonly input: JsonObject | string;
  readonly result: string;
  readonly media: Medium | null;
  readonly isError: boolean;
  /** Free-form, where the input is raw text and the wire has such calls. */
  readonly custom: boolean;
}

export interface Round {
  readonly preface: string;
  readonly calls: readonly SaidCall[];
  readonly resultsReversed: boolean;
  /** What the user says beside the results, where the wire has a place for it. */
  readonly aside: string;
}

export interface Medium {
  readonly mime_type: string;
  readonly source: "data" | "url";
}

export interface Turn {
  readonly system: string | null;
  readonly question: readonly (string | Medium)[];
  readonly plain: boolean;
  readonly rounds: readonly Round[];
  readonly answer: readonly string[];
  readonly refusal: boolean;
  /** Which of the wire's own things stand around: reasoning, server tools, citations, cache marks, unknown kinds. */
  readonly noise: readonly number[];
}

export interface Conversation {
  readonly leading: string | null;
  readonly turns: readonly Turn[];
}

export interface SampleHistory {
  readonly dialect: DialectName;
  readonly messages: readonly NativeMessage[];
  readonly system: string | null;
  /** What was said by anybody, results included; blank text counts as nothing. */
  readonly texts: readonly string[];
  readonly calls: readonly Pick<SaidCall, "name" | "input">[];
}

const word = fc.constantFrom(
  "so",
  "it rains",
  "na\u00efve",
  "\u{1f327}\ufe0f",
  "a\nb",
  "# x",
  "\u2028",
  "\\ud800",
  "{}",
);
const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ")) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", " \n", "half \ud83c of one", "trailing \n", " ", "[no result recorded]"),
  },
);

const VALID_NAME = fc.constantFrom("look", "read_file", "run-it", "x".repeat(64));
const GOOGLE_NAME = fc.constantFrom("look", "get.weather:v1", `_${"y".repeat(100)}`);

const id: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.nat(30).map((number) => `call_${number}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "functions.look:0",
      "a b",
      "\u00fc",
      "i".repeat(65),
      "i".repeat(600),
      "\ud800",
      "call_1_\u{1f327}",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 10 }) },
);

const object: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2, noUnicodeString: false }), {
    maxKeys: 3,
  })
  .map((given) => JSON.parse(JSON.stringify(given)) as JsonObject);
const rawText = fc.constantFrom(
  "",
  " ",
  "[1]",
  "no json",
  '{"a":',
  "null",
  '{"n": 1.0, "big": 12345678901234567890}',
  '{"h":"\\ud800"}',
);

const media: fc.Arbitrary<Medium> = fc.record({
  mime_type: fc.constantFrom(
    "image/png",
    "image/jpg",
    "image/gif",
    "image/svg+xml",
    "application/pdf",
    "text/plain",
    "text/csv",
    "audio/wav",
    "video/mp4",
    "application/octet-stream",
  ),
  source: fc.constantFrom("data", "data", "url"),
});

function callIn(dialect: DialectName): fc.Arbitrary<SaidCall> {
  const textual = dialect === "openai" || dialect === "fireworks";
  return fc.record({
    id: dialect === "google" ? fc.option(id) : id,
    name: dialect === "google" ? GOOGLE_NAME : VALID_NAME,
    input: textual ? fc.oneof({ weight: 3, arbitrary: object }, rawText) : object,
    result: text,
    media: fc.option(media, { freq: 2 }),
    isError: fc.boolean(),
    custom: fc.boolean(),
  });
}

function turnIn(dialect: DialectName): fc.Arbitrary<Turn> {
  const round: fc.Arbitrary<Round> = fc.record({
    preface: text,
    calls: fc.array(callIn(dialect), { minLength: 1, maxLength: 4 }),
    resultsReversed: fc.boolean(),
    aside: fc.oneof(fc.constant(""), text),
  });
  return fc.record({
    system: fc.option(text, { freq: 4 }),
    question: fc.array(fc.oneof({ weight: 2, arbitrary: text }, media), { minLength: 1, maxLength: 3 }),
    plain: fc.boolean(),
    rounds: fc.array(round, { maxLength: 3 }),
    answer: fc.array(text, { maxLength: 3 }),
    refusal: fc.boolean(),
    noise: fc.array(fc.nat(20), { maxLength: 3 }),
  });
}

/** Ends with a whole round or an answer; nothing in it is without a call or a result. */
export function historyIn(dialect: DialectName, mostTurns = 4): fc.Arbitrary<SampleHistory> {
  return fc
    .record({
      leading: fc.option(text),
      turns: fc.array(turnIn(dialect), { minLength: 1, maxLength: mostTurns }),
    })
    .map((conversation) => sampleOf(dialect, conversation));
}

function sampleOf(dialect: DialectName, conversation: Conversation): SampleHistory {
  const { messages, system } = RENDERERS[dialect](conversation);
  const { leading, turns } = conversation;
  return {
    dialect,
    messages,
    system,
    texts: [leading ?? "", ...turns.flatMap((turn) => textsOf(turn, dialect))].filter(
      (said) => said.trim() !== "",
    ),
    calls: turns.flatMap(({ rounds }) => rounds.flatMap(({ calls }) => calls.map(wrapped))),
  };
}

/** A wire that has no free-form calls has their text under `input`. */
function wrapped({ name, input, custom }: SaidCall): SampleHistory["calls"][number] {
  return { name, input: custom && typeof input === "string" ? { input } : input };
}

/** Gemini has no system text inside of a history. */
function textsOf({ system, question, plain, rounds, answer }: Turn, dialect: DialectName): readonly string[] {
  const spoken = question.filter((part) => typeof part === "string");
  return [
    dialect === "google" ? "" : (system ?? ""),
    ...(plain && dialect !== "google" ? spoken.slice(0, 1) : spoken),
    ...rounds.flatMap(({ preface, calls, aside }) => [preface, aside, ...calls.map(({ result }) => result)]),
    ...answer,
  ];
}

/** The arguments as any target must have them: an object, or the text that is none. */
export function argumentsOf(input: JsonObject | string): JsonValue {
  if (typeof input !== "string") return input;
  if (input.trim() === "") return {};
  try {
    return JSON.parse(input) as JsonValue;
  } catch {
    return input;
  }
}

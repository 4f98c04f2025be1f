/** Guesses what a JSON document is that is no envelope, so that the refusal can say it. */
import { isJsonObject, type JsonObject } from "../json.js";

type Recogniser = readonly [name: string, fits: (value: JsonObject) => boolean];

const RECOGNISERS: readonly Recogniser[] = [
  [
    "an envelope that has lost it",
    ({ provider, messages, turn_index }) =>
      Array.isArray(turn_index) || (typeof provider === "string" && Array.isArray(messages)),
  ],
  ["an OpenAI Responses reply", ({ object }) => object === "response"],
  [
    "an OpenAI chat completion",
    ({ object }) => typeof object === "string" && object.startsWith("chat.completion"),
  ],
  ["an Anthropic reply", ({ type, role }) => type === "message" && role === "assistant"],
  ["a Gemini reply", ({ candidates }) => Array.isArray(candidates)],
  ["a LangChain dump", ({ lc, type }) => lc !== undefined || type === "constructor"],
  ["a LangGraph checkpoint", ({ channel_values }) => channel_values !== undefined],
  ["a Gemini request", ({ contents }) => Array.isArray(contents)],
  [
    "a provider's request or a bare history",
    ({ messages, input }) => Array.isArray(messages) || Array.isArray(input),
  ],
];

/** What a JSON value seems to be, in a few words with their article. */
export function nameForeignJson(value: unknown): string {
  if (Array.isArray(value)) return value.some(isJsonObject) ? "a list of messages" : "a list";
  if (!isJsonObject(value)) return value === null ? "null" : `a ${typeof value}`;
  return RECOGNISERS.find(([, fits]) => fits(value))?.[0] ?? "some other JSON document";
}

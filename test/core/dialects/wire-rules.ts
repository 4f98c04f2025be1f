/** The rules of the four wires, as the simulator keeps them, for histories that end with the user. */
import { dialectFor } from "../../../src/core/dialects/index.js";
import type { NativeMessage } from "../../../src/core/envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import type { DialectName } from "../../../src/core/providers.js";
import { validateAnthropicRequest } from "../../../src/simulator/anthropic/validate.js";
import { validateFireworksRequest } from "../../../src/simulator/fireworks/validate.js";
import { validateGoogleRequest } from "../../../src/simulator/google/validate.js";
import { validateOpenaiRequest } from "../../../src/simulator/openai/validate.js";
import { checkWellFormed } from "../../../src/simulator/well-formed.js";
import type { ValidationOptions } from "../../../src/simulator/wire.js";
import type { WireIssue } from "../../../src/simulator/wire-issue.js";

type Validate = (
  messages: JsonValue,
  system: string | null,
  options: ValidationOptions,
) => readonly WireIssue[];

const VALIDATORS: Readonly<Record<DialectName, Validate>> = {
  anthropic: (messages, system, options) =>
    validateAnthropicRequest(
      { model: "claude-sonnet-4-5", max_tokens: 100, messages, ...(system === null ? {} : { system }) },
      options,
    ),
  openai: (input, _system, options) =>
    validateOpenaiRequest({ model: "gpt-5.4", store: false, input }, options),
  google: (contents, system, options) =>
    validateGoogleRequest(
      { contents, ...(system === null ? {} : { systemInstruction: { parts: [{ text: system }] } }) },
      { ...options, model: "gemini-3-pro" },
    ),
  fireworks: (messages, _system, options) =>
    validateFireworksRequest({ model: "accounts/fireworks/models/kimi-k2p5", messages }, options),
};

/** What the target's wire has against the history, continued by one more user message. */
export function issuesOf(
  dialect: DialectName,
  messages: readonly NativeMessage[],
  system: string | null,
  contextTokens?: number,
): readonly WireIssue[] {
  // The histories have made-up media.
  const options = { mediaBytes: false, ...(contextTokens === undefined ? {} : { contextTokens }) };
  const asked = [...messages, dialectFor(dialect).userMessage("And now?", [])] as JsonValue;
  return [...checkWellFormed([asked, system]), ...VALIDATORS[dialect](asked, system, options)];
}

export function stringsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(stringsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}

/** The arguments of all calls in order: an object, or what the wire's text holds; `_raw` is what no object was. */
export function callsIn(dialect: DialectName, messages: readonly NativeMessage[]): readonly JsonValue[] {
  return messages.flatMap((message) => CALLS[dialect](message)).map(unwrapped);
}

const CALLS: Readonly<Record<DialectName, (message: NativeMessage) => readonly (JsonValue | undefined)[]>> = {
  anthropic: ({ content }) =>
    objectsIn(content).flatMap(({ type, input }) => (type === "tool_use" ? [input] : [])),
  openai: ({ type, arguments: given, input = null }) =>
    type === "function_call" ? [given] : type === "custom_tool_call" ? [{ input }] : [],
  google: ({ parts }) =>
    objectsIn(parts).flatMap(({ functionCall }) => (isJsonObject(functionCall) ? [functionCall.args] : [])),
  fireworks: ({ tool_calls: calls }) =>
    objectsIn(calls).flatMap((call) => (isJsonObject(call.function) ? [call.function.arguments] : [])),
};

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

function unwrapped(given: JsonValue | undefined): JsonValue {
  const value = typeof given === "string" ? parsed(given) : (given ?? null);
  if (isJsonObject(value) && typeof value._raw === "string") return parsed(value._raw);
  return value;
}

/** A half character may stand in JSON text as an escape. */
function parsed(text: string): JsonValue {
  try {
    return wellFormed(JSON.parse(text) as JsonValue);
  } catch {
    return text;
  }
}

export function wellFormed(value: JsonValue | undefined): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(wellFormed);
  if (!isJsonObject(value)) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]),
  );
}

/** An assistant's Chat Completions message, field by field. */
import { SessionCompatibilityError } from "../../errors/errors.js";
import { isJsonObject, type JsonValue } from "../../json.js";
import { lostBreakpoint } from "../cache-breakpoint.js";
import { itemPath } from "../item-path.js";
import type { Origin, PivotArguments, PivotCall, PivotPart } from "../pivot.js";
import { dropped, textified } from "../report.js";
import { readContent, readRefusal } from "./read-content.js";
import { isAbsent, NOTHING, type Reading, readText, together, unreadFields, within } from "./reading.js";
import type { ChatMessage, ChatToolCall } from "./wire.js";

export type AssistantReading = Reading<PivotPart | PivotCall>;
type FieldReader = (message: ChatMessage, index: number) => AssistantReading;

type AssistantField =
  | "role"
  | "content"
  | "refusal"
  | "annotations"
  | "audio"
  | "name"
  | "tool_calls"
  | "function_call"
  | FieldOfOtherHosts;
/** Reasoning under all its names, and what is left of streams. */
type FieldOfOtherHosts =
  | "reasoning_content"
  | "reasoning"
  | "reasoning_details"
  | "thinking_blocks"
  | "index";

/** In the order in which they make up the turn: what was said, then the calls. */
export const ASSISTANT_FIELDS: Readonly<Record<AssistantField, FieldReader>> = {
  role: () => NOTHING,
  reasoning_content: thinkingIn("reasoning_content"),
  reasoning: thinkingIn("reasoning"),
  reasoning_details: thinkingIn("reasoning_details"),
  thinking_blocks: thinkingIn("thinking_blocks"),
  content: readSpoken,
  refusal: ({ refusal }, index) => readRefusal(refusal, { index, path: "refusal" }),
  annotations: readAnnotations,
  audio: readSpokenAnswer,
  name: lost("name"),
  index: lost("index"),
  tool_calls: ({ tool_calls: calls }, index) =>
    together((calls ?? []).map((call, at) => readCall(call, { index, path: itemPath("tool_calls", at) }))),
  function_call: readDeprecatedCall,
};

const READERS: readonly FieldReader[] = Object.values(ASSISTANT_FIELDS);
const READ_FIELDS: ReadonlySet<string> = new Set(Object.keys(ASSISTANT_FIELDS));

/** @throws SessionCompatibilityError for a call without a name. */
export function readAssistant(message: ChatMessage, index: number): AssistantReading {
  const readings: AssistantReading[] = [];
  for (const read of READERS) {
    const reading = read(message, index);
    if (reading !== NOTHING) readings.push(reading);
  }
  const { parts, report } = together(readings);
  const unread = unreadFields(message, READ_FIELDS, { index, path: "" });
  return unread.length === 0 ? { parts, report } : { parts, report: [...report, ...unread] };
}

/** No dialect has a place for a cache breakpoint in what the model said. */
function readSpoken({ content }: ChatMessage, index: number): Reading {
  const reading = readContent(content, index);
  if (reading.parts.every(({ cacheBreakpoint }) => cacheBreakpoint === undefined)) return reading;
  return {
    parts: reading.parts.map(({ cacheBreakpoint: _, ...part }) => part),
    report: [...reading.report, ...reading.parts.flatMap(lostBreakpoint)],
  };
}

/** Foreign reasoning never becomes text: a model would imitate it, or refuse it. */
function thinkingIn(field: string): FieldReader {
  return (message, index) =>
    isAbsent(message[field]) ? NOTHING : { parts: [], report: [dropped("thinking", { index, path: field })] };
}

function lost(field: string): FieldReader {
  return (message, index) =>
    isAbsent(message[field]) ? NOTHING : { parts: [], report: [dropped("metadata", { index, path: field })] };
}

function readAnnotations({ annotations }: ChatMessage, index: number): Reading {
  if (isAbsent(annotations)) return NOTHING;
  const list: readonly JsonValue[] = Array.isArray(annotations) ? annotations : [];
  const [first] = list;
  const detail = `${list.length || 1} ${isJsonObject(first) ? String(first.type) : "annotation"}`;
  return { parts: [], report: [dropped("citation", { index, path: "annotations" }, detail)] };
}

/** The id is good on the provider's own server only; a stored response holds what was said beside it. */
function readSpokenAnswer({ audio }: ChatMessage, index: number): Reading {
  if (!isJsonObject(audio)) return NOTHING;
  const origin: Origin = { index, path: "audio" };
  const gone = dropped("file-ref", origin, typeof audio.id === "string" ? audio.id : "audio");
  if (typeof audio.transcript !== "string") return { parts: [], report: [gone] };
  const { parts, report } = readText(audio.transcript, within(origin, "transcript"));
  const told = parts.map(({ origin: place }) => textified("media", place));
  return { parts, report: [gone, ...report, ...told] };
}

const CALL_FIELDS: ReadonlySet<string> = new Set(["id", "type", "function", "custom"]);
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(["name", "arguments"]);
const CUSTOM_FIELDS: ReadonlySet<string> = new Set(["name", "input"]);

type CallReader = (call: ChatToolCall, origin: Origin) => AssistantReading;

/** Every type of tool call. */
export const CALL_READERS: Readonly<Record<"function" | "custom", CallReader>> = {
  function: ({ id, function: called }, origin) => {
    const unread = called ? unreadFields(called, FUNCTION_FIELDS, within(origin, "function")) : [];
    const text: PivotArguments = { type: "text", text: called?.arguments ?? "" };
    return { parts: [callOf(id, called?.name, text, origin)], report: unread };
  },
  custom: ({ id, custom }, origin) => {
    const unread = custom ? unreadFields(custom, CUSTOM_FIELDS, within(origin, "custom")) : [];
    const input: PivotArguments = { type: "object", value: { input: custom?.input ?? "" } };
    const call = callOf(id, custom?.name, input, origin);
    return { parts: [{ ...call, custom: custom?.input ?? "" }], report: unread };
  },
};

/** Several servers leave the type out. */
function readCall(call: ChatToolCall, origin: Origin): AssistantReading {
  const { parts, report } = CALL_READERS[call.custom ? "custom" : "function"](call, origin);
  const unread = unreadFields(call, CALL_FIELDS, origin);
  return unread.length === 0 ? { parts, report } : { parts, report: [...report, ...unread] };
}

/** The result names the function only: the repair pass pairs the two. */
function readDeprecatedCall({ function_call: called }: ChatMessage, index: number): AssistantReading {
  if (!called) return NOTHING;
  const origin: Origin = { index, path: "function_call" };
  const text: PivotArguments = { type: "text", text: called.arguments ?? "" };
  return {
    parts: [callOf(null, called.name, text, origin)],
    report: unreadFields(called, FUNCTION_FIELDS, origin),
  };
}

function callOf(
  id: string | null | undefined,
  name: string | null | undefined,
  args: PivotArguments,
  origin: Origin,
): PivotCall {
  if (!name) {
    throw new SessionCompatibilityError(
      `A call without a name: ${id || "without an id"} at messages[${origin.index}].${origin.path}. No model can be told what was called; take the part before that turn with \`holdfast fork --at\`.`,
    );
  }
  return { kind: "call", origin, id: id || null, name, arguments: args };
}

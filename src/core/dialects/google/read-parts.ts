/** The parts of a Gemini content, field by field: each has one data field, and modifiers beside it. */

import { SessionCompatibilityError } from "../../errors/errors.js";
import { isJsonObject, type JsonValue } from "../../json.js";
import type { PivotArguments, PivotCall, PivotText } from "../pivot.js";
import { dropped, textified } from "../report.js";
import { readFileData, readInlineData } from "./read-media.js";
import {
  found,
  inside,
  lost,
  NOTHING,
  otherFields,
  type Place,
  type Reading,
  textOf,
  together,
} from "./read-place.js";
import { readFunctionResponse } from "./read-response.js";
import type { Part } from "./wire.js";

/** The fields of the SDK's `Part`, all of them: a test holds this list against its type. */
export type PartField =
  | "text"
  | "inlineData"
  | "fileData"
  | "functionCall"
  | "functionResponse"
  | "executableCode"
  | "codeExecutionResult"
  | "toolCall"
  | "toolResponse"
  | "audioTranscription"
  | "thought"
  | "thoughtSignature"
  | "videoMetadata"
  | "mediaResolution"
  | "mediaProcessing"
  | "speechMetadata"
  | "partMetadata";

type FieldReader = (value: JsonValue, place: Place, field: string) => Reading;

const PART_FIELDS = {
  text: readText,
  inlineData: readInlineData,
  fileData: readFileData,
  functionCall: readFunctionCall,
  functionResponse: readFunctionResponse,
  executableCode: readServerTool,
  codeExecutionResult: readServerTool,
  toolCall: readServerTool,
  toolResponse: readServerTool,
  audioTranscription: readTranscription,
  // Says what the part is, and is looked at before the fields are.
  thought: () => NOTHING,
  thoughtSignature: readSignature,
  videoMetadata: readModifier,
  mediaResolution: readModifier,
  mediaProcessing: readModifier,
  speechMetadata: readModifier,
  partMetadata: readModifier,
} satisfies Record<PartField, FieldReader>;

/** @throws SessionCompatibilityError for a call without a name. */
export function readPart(part: Part, place: Place): Reading {
  if (isThought(part)) return readThought(part, place);
  let first: Reading | undefined;
  let more: Reading[] | undefined;
  for (const field in part) {
    const value = part[field];
    if (value === undefined || value === null) continue;
    const reading = readerOf(field)(value, place, field);
    if (first === undefined) first = reading;
    else {
      more ??= [first];
      more.push(reading);
    }
  }
  return more === undefined ? (first ?? NOTHING) : together(more);
}

/** A field of a newer SDK is reported by its name, as a modifier is. */
function readerOf(field: string): FieldReader {
  return Object.hasOwn(PART_FIELDS, field) ? PART_FIELDS[field as PartField] : readModifier;
}

/** A piece of the visible text: Gemini cuts one anywhere. */
export function isTextPiece(part: Part): boolean {
  return typeof part.text === "string" && !isThought(part);
}

/** A call and a result are never mere thought. */
function isThought(part: Part): boolean {
  return part.thought === true && !part.functionCall && !part.functionResponse;
}

function readThought(part: Part, { origin }: Place): Reading {
  const fields = Object.keys(part).filter((key) => key !== "thought" && part[key] !== null);
  const empty = fields.every((key) => part[key] === "");
  return empty ? NOTHING : lost(dropped("thinking", origin, "thought"));
}

/** Blank pieces go on: only their neighbours tell whether they are a part of an answer. */
function readText(value: JsonValue, { origin }: Place): Reading<PivotText> {
  return typeof value === "string" && value !== "" ? found({ kind: "text", text: value, origin }) : NOTHING;
}

const CALL_FIELDS = { id: true, name: true, args: true, willContinue: true };

function readFunctionCall(value: JsonValue, { origin }: Place): Reading<PivotCall> {
  const call = isJsonObject(value) ? value : {};
  const name = textOf(call.name)?.trim() ? textOf(call.name) : null;
  if (name === null) {
    throw new SessionCompatibilityError(
      `A call without a name: message ${origin.index}, ${origin.path}, id ${textOf(call.id) ?? "(none)"}. Take the part before that turn with \`holdfast fork --at\`.`,
    );
  }
  return found(
    { kind: "call", origin, id: textOf(call.id), name, arguments: argumentsOf(call.args) },
    otherFields(call, CALL_FIELDS, inside(origin, ".functionCall")),
  );
}

/** What is no object goes on as its JSON text, for the writer to wrap. */
function argumentsOf(args: JsonValue | undefined): PivotArguments {
  if (args === undefined || args === null) return { type: "object", value: {} };
  if (isJsonObject(args)) return { type: "object", value: args };
  return { type: "text", text: typeof args === "string" ? args : JSON.stringify(args) };
}

function readServerTool(_value: JsonValue, { origin }: Place, field: string): Reading {
  return lost(dropped("server-tool", origin, field));
}

/** No other wire takes the audio in, so that its words are all that can be kept of it. */
function readTranscription(value: JsonValue, { origin }: Place, field: string): Reading<PivotText> {
  const text = isJsonObject(value) ? textOf(value.text) : null;
  if (text === null || text.trim() === "") return lost(dropped("metadata", inside(origin, `.${field}`)));
  return together<PivotText>([
    found({ kind: "text", text, origin }),
    lost(textified("media", origin, "transcription of the audio")),
  ]);
}

function readSignature(value: JsonValue, { origin }: Place, field: string): Reading {
  return value === "" ? NOTHING : lost(dropped("signature", inside(origin, `.${field}`)));
}

function readModifier(_value: JsonValue, { origin }: Place, field: string): Reading {
  return lost(dropped("metadata", inside(origin, `.${field}`)));
}

/** A function's response: an object on Gemini's wire, text and media everywhere else. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import type { PivotPart } from "../pivot.js";
import { placeholder } from "../placeholder.js";
import { dropped } from "../report.js";
import { readFileData, readInlineData } from "./read-media.js";
import {
  found,
  inside,
  lost,
  NOTHING,
  otherFields,
  type Place,
  type Reading,
  type ReadResponse,
  textOf,
  together,
} from "./read-place.js";

const RESPONSE_FIELDS = { id: true, name: true, response: true, parts: true, willContinue: true };

export function readFunctionResponse(value: JsonValue, place: Place): Reading<ReadResponse> {
  const given = isJsonObject(value) ? value : {};
  const origin = place.origin;
  const { text, isError } = outcome(given.response);
  const said: readonly PivotPart[] = text === "" ? [] : [{ kind: "text", text, origin }];
  const parts = listed(given.parts);
  const media =
    parts.length === 0 ? NOTHING : together(parts.map((part, index) => readResponsePart(part, index, place)));
  const emptied = said.length + media.items.length === 0 && media.report.length > 0;
  const stand = emptied ? placeholder(origin) : undefined;
  const response: ReadResponse = {
    kind: "response",
    origin,
    id: textOf(given.id),
    name: textOf(given.name),
    parts: stand === undefined ? withMedia(said, media.items) : [stand.part],
    isError,
    willContinue: given.willContinue === true,
    empty: media.items.length === 0 && media.report.length === 0 && isBare(given.response),
  };
  const others = otherFields(given, RESPONSE_FIELDS, inside(origin, ".functionResponse"));
  if (media.report.length === 0) return found(response, others);
  return found(response, [...media.report, ...(stand === undefined ? [] : [stand.report]), ...others]);
}

function withMedia(said: readonly PivotPart[], media: readonly PivotPart[]): readonly PivotPart[] {
  return media.length === 0 ? said : [...said, ...media];
}

interface Outcome {
  readonly text: string;
  readonly isError: boolean;
}

/** The documented keys are unwrapped where they are all there is; any other object goes on as JSON. */
function outcome(response: JsonValue | undefined): Outcome {
  if (response === undefined || response === null) return { text: "", isError: false };
  if (!isJsonObject(response)) return { text: asText(response), isError: false };
  const keys = Object.keys(response).filter((key) => response[key] !== null);
  const sole = keys.length === 1;
  if (sole && typeof response.output === "string") return { text: response.output, isError: false };
  if (sole && keys[0] === "error") return { text: asText(response.error), isError: true };
  return { text: JSON.stringify(response), isError: keys.includes("error") && response.error !== "" };
}

function asText(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** A last response may say nothing but that no more will follow. */
function isBare(response: JsonValue | undefined): boolean {
  return (
    response === undefined ||
    response === null ||
    (isJsonObject(response) && Object.keys(response).length === 0)
  );
}

const RESPONSE_PARTS: Readonly<Record<string, typeof readInlineData>> = {
  inlineData: readInlineData,
  fileData: readFileData,
};

/** Media of a result are the user's side, whoever's turn they stand in. */
function readResponsePart(part: JsonObject, index: number, place: Place): Reading<PivotPart> {
  const origin = inside(place.origin, `.functionResponse.parts[${index}]`);
  return together(
    Object.entries(part).map(([key, value]) => {
      if (value === undefined || value === null) return lost();
      const read = Object.hasOwn(RESPONSE_PARTS, key) ? RESPONSE_PARTS[key] : undefined;
      return read?.(value, { origin, role: "user" }) ?? lost(dropped("metadata", inside(origin, `.${key}`)));
    }),
  );
}

function listed(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

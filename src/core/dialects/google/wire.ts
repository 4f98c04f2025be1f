/** Gemini's `Content`, as the history of generateContent is made of. */
import type { NativeMessage } from "../../envelope/envelope.js";
import type { HistoryIssue } from "../../errors/errors.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import { mediaKind } from "../../media/media-kind.js";
import { bareMimeType, UNKNOWN_MIME_TYPE } from "../../media/mime.js";
import type { MediaSlot } from "../dialect.js";
import { mapPreserving, withField } from "../map-preserving.js";
import { remembered } from "../remembered.js";
import { listOf, object, oneOf, string } from "../shape.js";

export interface Blob extends JsonObject {
  readonly mimeType?: string | null;
  /** Base64, or a marker that stands for it. */
  readonly data?: string | null;
}

export interface FunctionCall extends JsonObject {
  readonly id?: string | null;
  readonly name?: string | null;
  readonly args?: JsonValue;
}

export interface FunctionResponsePart extends JsonObject {
  readonly inlineData?: Blob | null;
}

export interface FunctionResponse extends JsonObject {
  readonly id?: string | null;
  readonly name?: string | null;
  readonly response?: JsonValue;
  readonly parts?: readonly FunctionResponsePart[] | null;
  /** More responses to the same call follow. */
  readonly willContinue?: boolean | null;
}

/** One data field each, with modifiers beside it. Null counts as absent: other languages' SDKs write it. */
export interface Part extends JsonObject {
  readonly text?: string | null;
  readonly thought?: boolean | null;
  readonly thoughtSignature?: string | null;
  readonly inlineData?: Blob | null;
  readonly functionCall?: FunctionCall | null;
  readonly functionResponse?: FunctionResponse | null;
}

export interface Content extends JsonObject {
  readonly role: "user" | "model";
  readonly parts: readonly Part[];
}

const blob = object({ mimeType: string, data: string });
const part = object(
  {
    text: string,
    thoughtSignature: string,
    inlineData: blob,
    fileData: object({ fileUri: string, mimeType: string }),
    functionCall: object({ id: string, name: string }),
    functionResponse: object({
      id: string,
      name: string,
      parts: listOf(object({ inlineData: blob })),
    }),
  },
  "a part object",
);
const role = oneOf("user", "model");
const parts = listOf(part, "a list of parts");

export function checkMessage(value: unknown, index: number): readonly HistoryIssue[] {
  if (!isJsonObject(value)) return [{ index, path: "", expected: "a content object {role, parts}" }];
  const misfits = [...role(value.role, "role"), ...parts(value.parts, "parts")];
  return misfits.map(({ path, expected }) => ({ index, path, expected }));
}

const isContent = remembered((message) => checkMessage(message, 0).length === 0);

/** The message as a content; undefined for what is none. */
export function asContent(message: NativeMessage): Content | undefined {
  return isContent(message) ? (message as Content) : undefined;
}

/** Google's media stand in `inlineData`, of a part and of the parts inside a function response. */
export function mapMedia(message: NativeMessage, replace: (slot: MediaSlot) => string): NativeMessage {
  const found = asContent(message);
  if (found === undefined) return message;
  return withField(
    found,
    "parts",
    mapPreserving(found.parts, (entry, index) => mapPart(entry, `parts.${index}`, replace)),
  );
}

function mapPart(entry: Part, path: string, replace: (slot: MediaSlot) => string): Part {
  const mapped = mapInlineData(entry, path, replace);
  const response = mapped.functionResponse;
  if (!response?.parts) return mapped;
  const inner = mapPreserving(response.parts, (nested, index) =>
    mapInlineData(nested, `${path}.functionResponse.parts.${index}`, replace),
  );
  return withField(mapped, "functionResponse", withField(response, "parts", inner));
}

function mapInlineData<T extends FunctionResponsePart>(
  holder: T,
  path: string,
  replace: (slot: MediaSlot) => string,
): T {
  const inline = holder.inlineData;
  if (typeof inline?.data !== "string") return holder;
  const mime_type = bareMimeType(inline.mimeType ?? UNKNOWN_MIME_TYPE);
  const data = replace({
    kind: mediaKind(mime_type),
    mime_type,
    data: inline.data,
    path: `${path}.inlineData.data`,
  });
  return withField(holder, "inlineData", withField(inline, "data", data));
}

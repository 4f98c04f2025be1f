/** Parts that have nothing to send, or an address that this API does not read. What a newer API may add passes. */
import type { NativeMessage } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import { bareMimeType, UNKNOWN_MIME_TYPE } from "../../media/mime.js";
import { type ImpossibleMedium, isLooseBase64, isText, partsAt } from "../impossible-media.js";

export function impossibleMedia({ parts }: NativeMessage): readonly ImpossibleMedium[] {
  return partsAt(parts, "parts").flatMap(([part, path]) => {
    const nested = isJsonObject(part.functionResponse)
      ? partsAt(part.functionResponse.parts, `${path}.functionResponse.parts`)
      : [];
    return [...ofPart(part, path), ...nested.flatMap(([inner, at]) => ofPart(inner, at))];
  });
}

function ofPart(part: JsonObject, path: string): readonly ImpossibleMedium[] {
  const { inlineData, fileData } = part;
  const slot = `${path}.inlineData.data`;
  if (Object.values(part).every((field) => field === null))
    return [{ path, expected: "a part with text, data or a call", mime_type: UNKNOWN_MIME_TYPE, slot }];
  if (isJsonObject(inlineData) && !isLooseBase64(inlineData.data))
    return [
      {
        path: `${path}.inlineData.data`,
        expected: "the base64 of the file's bytes",
        mime_type: typeOf(inlineData),
        slot,
      },
    ];
  const expected = isJsonObject(fileData) ? wrongAddress(fileData.fileUri) : undefined;
  if (!isJsonObject(fileData) || expected === undefined) return [];
  return [{ path: `${path}.fileData.fileUri`, expected, mime_type: typeOf(fileData), slot }];
}

function wrongAddress(uri: JsonValue | undefined): string | undefined {
  if (!isText(uri)) return "the address of a file";
  if (!/^gs:/i.test(uri)) return undefined;
  return "an address that the Gemini API reads, where only Vertex AI reads gs:// (attach the file itself instead)";
}

function typeOf({ mimeType }: JsonObject): string {
  return isText(mimeType) ? bareMimeType(mimeType) : UNKNOWN_MIME_TYPE;
}

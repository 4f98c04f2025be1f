/** Files of the Files API whose bytes are known: for every other dialect they are inline data. */
import type { MediaEntry, NativeMessage } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import { isMediaKey, markerFor } from "../../media/marker.js";
import { mapPreserving, withField } from "../map-preserving.js";
import { textOf } from "./read-place.js";

type MediaTable = Readonly<Record<string, MediaEntry>>;

/** The history with `inlineData` in the place of each `fileData` whose URI the table names with bytes or a marker for them. */
export function withFileBytes(
  messages: readonly NativeMessage[],
  media: MediaTable,
): readonly NativeMessage[] {
  const files = new Map(
    Object.values(media).flatMap((entry) => {
      const data = dataOf(entry);
      return entry.uri === undefined || data === undefined ? [] : [[entry.uri, { entry, data }] as const];
    }),
  );
  return files.size === 0
    ? messages
    : mapPreserving(messages, (message) => withBytes(message, "parts", files));
}

interface FileBytes {
  readonly entry: MediaEntry;
  /** Base64, or the marker that stands for it. */
  readonly data: string;
}
type Files = ReadonlyMap<string, FileBytes>;

function dataOf({ data, ref }: MediaEntry): string | undefined {
  if (data !== undefined) return data;
  return ref !== undefined && isMediaKey(ref) ? markerFor(ref) : undefined;
}

function withBytes(holder: JsonObject, field: string, files: Files): JsonObject {
  const parts = holder[field];
  if (!Array.isArray(parts)) return holder;
  const inlined = mapPreserving(parts as readonly JsonValue[], (part) =>
    isJsonObject(part) ? inlinedPart(part, files) : part,
  );
  return withField(holder, field, inlined);
}

/** The fields keep their order: what is read of a part follows it. */
function inlinedPart(part: JsonObject, files: Files): JsonObject {
  const file = part.fileData;
  const known = isJsonObject(file) ? files.get(textOf(file.fileUri) ?? "") : undefined;
  if (isJsonObject(file) && known !== undefined && !part.inlineData) {
    const inlineData = inlined(file, known);
    return Object.fromEntries(
      Object.entries(part).map(([field, value]) =>
        field === "fileData" ? ["inlineData", inlineData] : [field, value],
      ),
    );
  }
  const response = part.functionResponse;
  return isJsonObject(response)
    ? withField(part, "functionResponse", withBytes(response, "parts", files))
    : part;
}

/** What else the file has stays, to be read or reported. */
function inlined(file: JsonObject, { entry, data }: FileBytes): JsonObject {
  const { fileUri: _, mimeType, displayName, ...others } = file;
  const name = textOf(displayName) ?? entry.name;
  return {
    mimeType: textOf(mimeType) ?? entry.mime_type,
    data,
    ...(name === undefined ? {} : { displayName: name }),
    ...others,
  };
}

/** Half characters, which no service's JSON parser takes, become U+FFFD, at any depth. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";

export function wellFormedObject(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key.toWellFormed(),
      member === undefined ? undefined : wellFormed(member),
    ]),
  );
}

function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(wellFormed);
  return isJsonObject(value) ? wellFormedObject(value) : value;
}

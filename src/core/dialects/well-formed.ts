/** Half characters, which no service's JSON parser takes, become U+FFFD, at any depth. */
import { isJsonObject, type JsonObject, type JsonValue } from "../json.js";

/** The very same object where it holds none, as nearly all do. */
export function wellFormedObject(value: JsonObject): JsonObject {
  return isWellFormed(value) ? value : mendedObject(value);
}

function isWellFormed(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return (value as readonly JsonValue[]).every(isWellFormed);
  if (!isJsonObject(value)) return true;
  for (const key in value) if (!key.isWellFormed() || !isWellFormed(value[key])) return false;
  return true;
}

function mendedObject(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key.toWellFormed(),
      member === undefined ? undefined : mended(member),
    ]),
  );
}

function mended(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(mended);
  return isJsonObject(value) ? mendedObject(value) : value;
}

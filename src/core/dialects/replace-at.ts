/** Changing one place deep inside an immutable value, by the dotted path that a media slot names. */
import { isJsonObject, type JsonValue } from "../json.js";

/** The value with `change` applied at the path; the very same value where the path leads nowhere. */
export function replaceAt<T extends JsonValue>(
  value: T,
  path: readonly string[],
  change: (found: JsonValue) => JsonValue,
): T {
  return changedAt(value, path, change) as T;
}

function changedAt(
  value: JsonValue,
  path: readonly string[],
  change: (found: JsonValue) => JsonValue,
): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return change(value);
  if (Array.isArray(value)) {
    const index = Number(step);
    const inner: JsonValue | undefined = value[index];
    return inner === undefined ? value : value.with(index, changedAt(inner, rest, change));
  }
  if (!isJsonObject(value)) return value;
  const inner = value[step];
  return inner === undefined ? value : { ...value, [step]: changedAt(inner, rest, change) };
}

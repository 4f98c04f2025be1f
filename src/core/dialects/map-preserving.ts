/** Changes deep inside an immutable value; what does not change stays the very same object. */
import type { JsonObject, JsonValue } from "../json.js";

/** The list with every entry mapped, or the list itself when no entry changed. */
export function mapPreserving<T>(list: readonly T[], map: (entry: T, index: number) => T): readonly T[] {
  const mapped = list.map(map);
  return mapped.every((entry, index) => entry === list[index]) ? list : mapped;
}

/** The object with one field replaced, or the object itself when the field already has that value. */
export function withField<T extends JsonObject>(object: T, name: keyof T & string, value: JsonValue): T {
  return object[name] === value ? object : { ...object, [name]: value };
}

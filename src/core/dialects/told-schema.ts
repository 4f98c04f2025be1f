/** An answer's schema in words, for a wire or a model that takes none as a parameter. */
import type { JsonObject, JsonValue } from "../json.js";

const BEGINNING = "Your final answer is one JSON value that fits this JSON Schema, and nothing else:";

export function toldSchemaText(schema: JsonObject): string {
  return `${BEGINNING}\n${JSON.stringify(schema)}`;
}

/** The schema that a text tells of; undefined where it tells of none. */
export function toldSchemaIn(text: string): JsonValue | undefined {
  const at = text.lastIndexOf(BEGINNING);
  if (at < 0) return undefined;
  const [line = ""] = text.slice(at + BEGINNING.length + 1).split("\n", 1);
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    return undefined;
  }
}

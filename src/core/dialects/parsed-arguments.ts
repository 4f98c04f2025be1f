/** Arguments of a tool's call, which some wires carry as JSON text that a model has written. */
import { MAX_DEPTH } from "../envelope/structure.js";
import type { JsonValue } from "../json.js";

/**
 * What is not JSON stays the text it is, so that the model can be told; and so does what is nested too deep, which would overflow the
 * stack of whoever reads it next.
 */
export function parsedArguments(text: string): JsonValue {
  if (text.trim() === "") return {};
  const value = parsed(text);
  return value === undefined || isTooDeep(value) ? text : value;
}

/** Whether such a text was left as it is for its nesting. */
export function isNestedTooDeep(argument: JsonValue): boolean {
  const value = typeof argument === "string" ? parsed(argument) : argument;
  return value !== undefined && isTooDeep(value);
}

function parsed(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Level by level: it must not overflow the stack itself. */
function isTooDeep(value: JsonValue): boolean {
  let level = membersOf([value]);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap(membersOf);
  }
  return false;
}

/** Those that may have members themselves: the rest needs no look. */
function membersOf(value: JsonValue): JsonValue[] {
  if (typeof value !== "object" || value === null) return [];
  return (Object.values(value) as JsonValue[]).filter(
    (member) => typeof member === "object" && member !== null,
  );
}

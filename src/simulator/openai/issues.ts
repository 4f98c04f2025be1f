/** Issues in the words of the Responses API, which names the parameter inside its sentences. */
import type { WireIssue } from "../wire-issue.js";
import { paramOf } from "./error.js";

export function invalid(path: string, sentence: string, code = "invalid_value"): WireIssue {
  return { path, message: `Invalid '${paramOf(path)}': ${sentence}`, code };
}

export function invalidValue(path: string, found: unknown, supported: readonly string[]): WireIssue {
  const values = supported.map((value) => `'${value}'`);
  const list = values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} and ${values.at(-1)}`;
  const message = `Invalid value: '${String(found)}'. Supported values are: ${list}.`;
  return { path, message, code: "invalid_value" };
}

export function invalidType(path: string, expected: string, found: unknown): WireIssue {
  const message = `Invalid type for '${paramOf(path)}': expected ${expected}, but got ${nameOfType(found)} instead.`;
  return { path, message, code: "invalid_type" };
}

export function missing(path: string): WireIssue {
  const message = `Missing required parameter: '${paramOf(path)}'.`;
  return { path, message, code: "missing_required_parameter" };
}

export function unknownParameter(path: string): WireIssue {
  return { path, message: `Unknown parameter: '${paramOf(path)}'.`, code: "unknown_parameter" };
}

export function tooLong(path: string, length: number, maximum: number): WireIssue {
  const sentence = `string too long. Expected a string with maximum length ${maximum}, but got a string with length ${length} instead.`;
  return invalid(path, sentence, "string_above_max_length");
}

function nameOfType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (Number.isInteger(value)) return "an integer";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

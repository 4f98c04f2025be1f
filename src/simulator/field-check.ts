/** Checks an object's fields against a list, in the words that the services' own validators use. */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";

export type FieldType = "string" | "integer" | "number" | "boolean" | "object" | "array" | "any";

/** A trailing `?` marks a field that may be absent or null. */
export type FieldRule = FieldType | `${FieldType}?`;

export interface FieldIssue {
  readonly path: string;
  readonly message: string;
}

const SENTENCES: Readonly<Record<FieldType, string>> = {
  string: "Input should be a valid string",
  integer: "Input should be a valid integer",
  number: "Input should be a valid number",
  boolean: "Input should be a valid boolean",
  object: "Input should be a valid dictionary",
  array: "Input should be a valid array",
  any: "Field required",
};

export interface FieldCheckOptions {
  /** Whether a field without a rule is refused; true when absent. */
  readonly closed?: boolean;
}

export function checkFields(
  value: JsonObject,
  path: string,
  rules: Readonly<Record<string, FieldRule>>,
  options: FieldCheckOptions = {},
): readonly FieldIssue[] {
  const wrong = Object.entries(rules).flatMap(([name, rule]) =>
    checkField(value[name], at(path, name), rule),
  );
  if (options.closed === false) return wrong;
  const extra = Object.keys(value).filter((name) => !(name in rules));
  return [
    ...wrong,
    ...extra.map((name) => ({ path: at(path, name), message: "Extra inputs are not permitted" })),
  ];
}

function checkField(value: JsonValue | undefined, path: string, rule: FieldRule): readonly FieldIssue[] {
  const optional = rule.endsWith("?");
  const type = (optional ? rule.slice(0, -1) : rule) as FieldType;
  if (value === undefined) return optional ? [] : [{ path, message: "Field required" }];
  if (value === null && optional) return [];
  return isOfType(value, type) ? [] : [{ path, message: SENTENCES[type] }];
}

export function isOfType(value: JsonValue, type: FieldType): boolean {
  switch (type) {
    case "any":
      return true;
    case "integer":
      return Number.isInteger(value);
    case "object":
      return isJsonObject(value);
    case "array":
      return Array.isArray(value);
    default:
      return typeof value === type;
  }
}

function at(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** A small value that fits a JSON Schema, the same one every time: what the simulator answers and calls tools with. */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";

/** Deeper than this a schema that refers to itself is not followed. */
const DEPTH = 8;

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-31T12:00:00Z",
  date: "2026-01-31",
  time: "12:00:00Z",
  duration: "P1D",
  email: "someone@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

export interface ExampleContext {
  /** What stands where a text is wanted. */
  readonly words: string;
  /** Where `$ref` leads. */
  readonly root: JsonValue | undefined;
  readonly depth?: number;
}

export function exampleValue(schema: JsonValue | undefined, context: ExampleContext): JsonValue {
  const depth = (context.depth ?? 0) + 1;
  const inner = { ...context, depth };
  if (!isJsonObject(schema)) return text({}, context.words);
  if (depth > DEPTH) return null;
  if (typeof schema.$ref === "string") return exampleValue(targetOf(context.root, schema.$ref), inner);
  const given = [schema.const, schema.default, ...listOf(schema.enum)].find((value) => value !== undefined);
  if (given !== undefined) return given;
  const [choice] = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  if (choice !== undefined) return exampleValue(choice, inner);
  const parts = listOf(schema.allOf).map((part) => exampleValue(part, inner));
  if (parts.length > 0) return parts.every(isJsonObject) ? Object.assign({}, ...parts) : (parts[0] ?? null);
  return ofType(schema, inner);
}

/** Bounds that a wire does not take stand in the description, as the SDKs put them there: `{minimum: 3, maxLength: 9}`. */
function toldBounds({ description }: JsonObject): JsonObject {
  if (typeof description !== "string") return {};
  const told = description.matchAll(
    /[{ ](m(?:in|ax)[A-Z]?\w+|exclusiveMinimum|multipleOf): (-?\d+(?:\.\d+)?)(?=[,}])/g,
  );
  return Object.fromEntries([...told].map(([, name = "", value]) => [name, Number(value)]));
}

function ofType(described: JsonObject, context: ExampleContext): JsonValue {
  const schema = { ...toldBounds(described), ...described };
  const [named] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const type =
    typeof named === "string" ? named.toLowerCase() : isJsonObject(schema.properties) ? "object" : "";
  switch (type) {
    case "integer":
    case "number":
      return number(schema, type === "integer");
    case "boolean":
      return true;
    case "array":
      return array(schema, context);
    case "object":
      return object(schema, context);
    case "null":
      return null;
    default:
      return text(schema, context.words);
  }
}

function number(schema: JsonObject, isInteger: boolean): number {
  const { minimum, exclusiveMinimum, maximum, multipleOf: step } = schema;
  const lowest =
    typeof minimum === "number"
      ? minimum
      : typeof exclusiveMinimum === "number"
        ? exclusiveMinimum + (isInteger ? 1 : 0.5)
        : 1;
  // A schema library's bounds of a whole number are what a number can hold.
  const least = Math.max(lowest, 1);
  const most = typeof maximum === "number" ? maximum : Number.POSITIVE_INFINITY;
  const capped = Math.min(least, most);
  if (typeof step !== "number" || step <= 0) return isInteger ? Math.ceil(capped) : capped;
  const stepped = Math.ceil(capped / step) * step;
  return stepped > most ? Math.floor(most / step) * step : stepped;
}

function array({ items, prefixItems, minItems }: JsonObject, context: ExampleContext): JsonValue {
  const first = listOf(prefixItems).map((part) => exampleValue(part, context));
  const wanted = typeof minItems === "number" ? minItems : 1;
  if (context.depth === DEPTH || items === false) return first;
  const more = Array.from({ length: Math.max(0, wanted - first.length) }, () => exampleValue(items, context));
  return [...first, ...more];
}

function object({ properties, required }: JsonObject, context: ExampleContext): JsonObject {
  if (!isJsonObject(properties)) return {};
  const needed = listOf(required).filter((key) => typeof key === "string");
  const keys = needed.length > 0 ? needed : Object.keys(properties);
  return Object.fromEntries(keys.map((key) => [key, exampleValue(properties[key], context)]));
}

function text({ format, minLength, maxLength }: JsonObject, words: string): string {
  const formatted = typeof format === "string" ? FORMATS[format] : undefined;
  if (formatted !== undefined) return formatted;
  const least = typeof minLength === "number" ? minLength : 0;
  const most = typeof maxLength === "number" ? maxLength : 60;
  return words.slice(0, Math.max(most, least)).padEnd(least, ".").slice(0, Math.max(most, least));
}

function targetOf(root: JsonValue | undefined, ref: string): JsonValue | undefined {
  if (!ref.startsWith("#")) return undefined;
  const steps = ref.slice(1).split("/").slice(1);
  return steps.reduce<JsonValue | undefined>((at, step) => (isJsonObject(at) ? at[step] : undefined), root);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

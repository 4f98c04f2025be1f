/** Structured output: the JSON Schema that an answer must fit, how it is given, and how an answer is read. */
import { OUTPUT_SCHEMA_BYTES } from "./envelope/output-schema-bytes.js";
import { checkStructure } from "./envelope/structure.js";
import { UsageError } from "./errors/errors.js";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.js";
import { jsonByteLength } from "./json-byte-length.js";
import { assertOptions, type OptionNames } from "./known-options.js";
import {
  type InferOutput,
  isStandardSchema,
  jsonSchemaOfLibrary,
  type StandardSchema,
} from "./standard-schema.js";

/** An answer's schema as plain data. */
export interface JsonOutput {
  /** JSON Schema, draft 2020-12. */
  readonly schema: JsonObject;
  /** What the answer is called where a provider asks for a name; the schema's `title` without it. */
  readonly name?: string;
}

/** What an answer must be: a schema of any library with the Standard Schema interface, or a JSON Schema. */
export type OutputOption = StandardSchema | JsonOutput;

/** The type of `result.data`: `Otherwise` where this call gives no schema of its own. */
export type OutputData<Output, Otherwise = unknown> = [Output] extends [StandardSchema]
  ? InferOutput<Output>
  : [Output] extends [JsonOutput]
    ? JsonValue
    : Otherwise;

const JSON_OUTPUT: OptionNames<JsonOutput> = { schema: true, name: true };

/**
 * The JSON Schema that travels; a name becomes its title.
 *
 * @throws UsageError for what is no schema, one whose library gives no JSON Schema, and one that is too large.
 */
export function outputSchemaOf(owner: string, output: unknown): JsonObject {
  const { $schema: _, ...plain } = plainSchema(owner, output);
  const issue = outputSchemaIssue(plain);
  if (issue !== undefined) throw new UsageError(`${owner}: output: ${issue}`);
  return plain;
}

function plainSchema(owner: string, output: unknown): JsonObject {
  if (isStandardSchema(output)) return fromLibrary(owner, output);
  if (!isJsonObject(output)) {
    throw new UsageError(
      `${owner}: output is a schema with the Standard Schema interface, or { schema } with a JSON Schema.`,
    );
  }
  assertOptions(`${owner}: output`, output, JSON_OUTPUT);
  const { schema, name } = output;
  if (!isJsonObject(schema)) throw new UsageError(`${owner}: output.schema is a JSON Schema: an object.`);
  if (name === undefined) return copyOf(owner, schema);
  if (typeof name !== "string" || name === "") throw new UsageError(`${owner}: output.name is a text.`);
  return { ...copyOf(owner, schema), title: name };
}

function fromLibrary(owner: string, schema: StandardSchema): JsonObject {
  const { vendor } = schema["~standard"];
  let given: unknown;
  try {
    given = jsonSchemaOfLibrary(schema);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `${owner}: output has no JSON Schema (${reason}). Give one that has, or output: { schema } with a JSON Schema.`,
      { cause: error },
    );
  }
  if (isJsonObject(given)) return copyOf(owner, given);
  throw new UsageError(
    `${owner}: ${vendor} gives no JSON Schema of output by itself. Give its JSON Schema: output: { schema }.`,
  );
}

/** What a library adds beside the data is left behind. */
function copyOf(owner: string, schema: JsonObject): JsonObject {
  try {
    return JSON.parse(JSON.stringify(schema)) as JsonObject;
  } catch (error) {
    throw new UsageError(`${owner}: output is no plain JSON: ${String(error)}`, { cause: error });
  }
}

/** What keeps a value from being taken as an output schema, in one line; what its keywords say is looked at by the worker. */
export function outputSchemaIssue(value: unknown): string | undefined {
  if (!isJsonObject(value)) return "expected a JSON Schema: an object.";
  const unsafe = checkStructure({ output_schema: value });
  if (unsafe !== undefined) return `${unsafe.path}: expected ${unsafe.expected}, found ${unsafe.found}.`;
  const bytes = jsonByteLength(value);
  if (bytes <= OUTPUT_SCHEMA_BYTES) return undefined;
  return `the JSON Schema has ${bytes} bytes, and may have ${OUTPUT_SCHEMA_BYTES}: describe less of it.`;
}

const FENCED = /^```[A-Za-z0-9]*[ \t]*\r?\n(?<inner>[\s\S]*?)\r?\n?```$/;

/** The one JSON value that an answer is, also inside one fence of code; undefined for any other text. */
export function parseOutput(text: string): { readonly value: JsonValue } | undefined {
  const trimmed = text.trim();
  const inner = FENCED.exec(trimmed)?.groups?.inner;
  try {
    return { value: JSON.parse(inner ?? trimmed) as JsonValue };
  } catch {
    return undefined;
  }
}

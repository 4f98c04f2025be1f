/** The JSON Schema of a tool's arguments, from the library that the schema was written with. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { UsageError } from "../../core/errors/errors.js";
import { isJsonObject, type JsonObject } from "../../core/json.js";
import { jsonSchemaOfLibrary } from "../../core/standard-schema.js";

const NO_ARGUMENTS: JsonObject = { type: "object", properties: {} };

/** @throws UsageError where the library gives none, or one that is not of an object. */
export function jsonSchemaOf(tool: string, schema: StandardSchemaV1 | undefined): JsonObject {
  if (schema === undefined) return NO_ARGUMENTS;
  const given = fromLibrary(tool, schema);
  if (!isJsonObject(given)) {
    throw new UsageError(
      `Tool ${tool}: ${schema["~standard"].vendor} gives no JSON Schema by itself. Add it: defineTool({ …, inputSchema }).`,
    );
  }
  const { $schema: _, ...plain } = JSON.parse(JSON.stringify(given)) as JsonObject;
  if (plain.type === "object") return plain;
  throw new UsageError(
    `Tool ${tool}: its input is no object. Models give a tool one object of arguments; put the value into one.`,
  );
}

function fromLibrary(tool: string, schema: StandardSchemaV1): unknown {
  try {
    return jsonSchemaOfLibrary(schema);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `Tool ${tool}: its input has no JSON Schema (${reason}). Add one: defineTool({ …, inputSchema }).`,
      { cause: error },
    );
  }
}

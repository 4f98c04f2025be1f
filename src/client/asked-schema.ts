/** The JSON Schema of an answer as it is sent, looked at before anything is. */
import { outputSchemaFault } from "../activities/output/output-schema-check.js";
import { UsageError } from "../core/errors/errors.js";
import type { JsonObject } from "../core/json.js";
import { type OutputOption, outputSchemaOf } from "../core/output-schema.js";

/** Undefined without an output. @throws UsageError for what is no schema, or is a schema that says nothing sensible. */
export function askedSchema(owner: string, output: OutputOption | undefined): JsonObject | undefined {
  return output === undefined ? undefined : assertedSchema(owner, outputSchemaOf(owner, output));
}

/** @throws UsageError naming the first keyword that is wrong. */
export function assertedSchema(owner: string, schema: JsonObject): JsonObject {
  const fault = outputSchemaFault(schema);
  if (fault === undefined) return schema;
  throw new UsageError(`${owner}: output is no valid JSON Schema: ${fault}`);
}

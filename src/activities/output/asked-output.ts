/** The schema that a turn asks of its answer, ready to check answers with. */

import type { JsonObject } from "../../core/json.js";
import { outputSchemaIssue } from "../../core/output-schema.js";
import { activityFailure } from "../activity-failure.js";
import { OutputSchemaCheck, outputSchemaFault } from "./output-schema-check.js";

/** Undefined where none is asked. @throws a refusal of the turn, before anything was called, for what is no JSON Schema. */
export function askedOutput(schema: JsonObject | undefined): OutputSchemaCheck | undefined {
  if (schema === undefined) return undefined;
  const fault = outputSchemaIssue(schema) ?? outputSchemaFault(schema);
  if (fault === undefined) return new OutputSchemaCheck(schema);
  const text = `The answer's schema is no JSON Schema (${fault}): mend it, and send the message again.`;
  throw activityFailure("turn.refused", text, { retryable: false, details: ["output_schema"] });
}

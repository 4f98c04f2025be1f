/** `output_config` of a Messages request. Sources: the vendor's page on structured outputs, the SDK's types and its transformation. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { isRecursive, partsOf } from "../../core/schema-parts.js";
import { checkFields } from "../field-check.js";
import type { WireIssue } from "../wire-issue.js";
import { allBlocks } from "./facts.js";
import { issueAt, issuesFrom } from "./issues.js";
import type { AnthropicModel } from "./models.js";

const SCHEMA = "output_config.format.schema";
const KEYWORDS: ReadonlySet<string> = new Set([
  ...["type", "properties", "required", "additionalProperties", "items", "minItems", "enum", "const"],
  ...["anyOf", "allOf", "$ref", "$defs", "format", "title", "description", "default"],
]);
const FORMATS: readonly unknown[] = [
  ...["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"],
];

export function checkOutput(body: JsonObject, model: AnthropicModel): readonly WireIssue[] {
  const { output_config: config } = body;
  if (!isJsonObject(config)) return [];
  const shape = issuesFrom(checkFields(config, "output_config", { effort: "string?", format: "object?" }));
  const { format } = config;
  if (shape.length > 0 || !isJsonObject(format)) return shape;
  if (!model.structuredOutput) {
    return [{ path: "output_config.format", message: `'${model.name}' does not support output format.` }];
  }
  const fields = checkFields(format, "output_config.format", { type: "string", schema: "object" });
  if (fields.length > 0) return issuesFrom(fields);
  if (format.type !== "json_schema")
    return [issueAt("output_config.format.type", "Input should be 'json_schema'")];
  return [...checkSchema(format.schema), ...checkCitations(body)];
}

function checkSchema(schema: JsonValue | undefined): readonly WireIssue[] {
  if (!isJsonObject(schema)) return [];
  if (isRecursive(schema)) return [issueAt(SCHEMA, "Circular reference detected in schema definitions")];
  return partsOf(schema).flatMap((part) => {
    const fault = isJsonObject(part) ? faultOf(part) : undefined;
    return fault === undefined ? [] : [issueAt(SCHEMA, fault)];
  });
}

function faultOf(part: JsonObject): string | undefined {
  const type = typeof part.type === "string" ? part.type : "any";
  const unknown = Object.keys(part).filter((keyword) => !KEYWORDS.has(keyword));
  if (unknown.length > 0) return `For '${type}' type, properties ${unknown.join(", ")} are not supported`;
  if (type === "object" && part.additionalProperties !== false)
    return "For 'object' type, 'additionalProperties' must be explicitly set to false";
  if (typeof part.minItems === "number" && part.minItems > 1)
    return "For 'array' type, 'minItems' values other than 0 or 1 are not supported";
  if (part.format !== undefined && !FORMATS.includes(part.format))
    return `For 'string' type, 'format' value ${JSON.stringify(part.format)} is not supported`;
  const says = ["type", "$ref", "anyOf", "allOf", "enum", "const"].some((name) => part[name] !== undefined);
  return says ? undefined : "Schema must have a 'type', 'enum', 'const', 'anyOf', 'allOf' or '$ref' field";
}

function checkCitations(body: JsonObject): readonly WireIssue[] {
  const cites = allBlocks(body).some(
    ({ citations }) => isJsonObject(citations) && citations.enabled === true,
  );
  const message = "Citations cannot be enabled when using output format.";
  return cites ? [{ path: "output_config.format", message }] : [];
}

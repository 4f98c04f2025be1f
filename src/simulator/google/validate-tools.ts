/** Function declarations of a generateContent request. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { objectsIn } from "../request-facts.js";
import type { WireIssue } from "../wire-issue.js";
import { invalidValue, unknownName } from "./issues.js";
import { badName } from "./validate-part.js";

const DECLARATION: readonly string[] = [
  "name",
  "description",
  "behavior",
  "parameters",
  "parametersJsonSchema",
  "response",
  "responseJsonSchema",
];
/** The vendor's own subset of OpenAPI; other keywords of JSON Schema belong into `parametersJsonSchema`. */
const SCHEMA: readonly string[] = [
  ...["type", "format", "title", "description", "nullable", "default", "example", "enum"],
  ...["items", "minItems", "maxItems", "properties", "required", "minProperties", "maxProperties"],
  ...["propertyOrdering", "minLength", "maxLength", "pattern", "minimum", "maximum", "anyOf"],
];
const FUNCTION_NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;

export function checkTools(tools: JsonValue | undefined): readonly WireIssue[] {
  const declarations = objectsIn(tools).flatMap(({ functionDeclarations }, tool) =>
    objectsIn(functionDeclarations).map((declaration, index) => ({
      declaration,
      path: `tools.${tool}.function_declarations.${index}`,
    })),
  );
  const names = declarations.map(({ declaration }) => declaration.name);
  return declarations.flatMap(({ declaration, path }, index) => {
    const issues = checkDeclaration(declaration, path);
    if (issues.length > 0 || names.indexOf(declaration.name) === index) return issues;
    return [{ path, message: `Duplicate function declaration found: ${String(declaration.name)}` }];
  });
}

function checkDeclaration(declaration: JsonObject, path: string): readonly WireIssue[] {
  const unknown = Object.keys(declaration).filter((key) => !DECLARATION.includes(key));
  if (unknown.length > 0) return unknown.map((key) => unknownName(path, key));
  const { name, parameters, parametersJsonSchema } = declaration;
  if (typeof name !== "string" || !FUNCTION_NAME.test(name)) return [badName(path, name)];
  if (parameters !== undefined && parametersJsonSchema !== undefined) {
    const message = "parameters and parameters_json_schema cannot both be set.";
    return [{ path, message }];
  }
  return parameters === undefined ? [] : checkSchema(parameters, `${path}.parameters`);
}

export function checkSchema(schema: JsonValue, path: string): readonly WireIssue[] {
  if (!isJsonObject(schema)) return [invalidValue(path, "TYPE_MESSAGE", "expected an object")];
  const unknown = Object.keys(schema).filter((key) => !SCHEMA.includes(key));
  if (unknown.length > 0) return unknown.map((key) => unknownName(path, key));
  if (Array.isArray(schema.type)) {
    return [invalidValue(`${path}.type`, "TYPE_ENUM", "Proto field is not repeating, cannot start list.")];
  }
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  return [
    ...properties.flatMap(([key, property]) =>
      property === undefined ? [] : checkSchema(property, `${path}.properties.${key}`),
    ),
    ...(schema.items === undefined ? [] : checkSchema(schema.items, `${path}.items`)),
  ];
}

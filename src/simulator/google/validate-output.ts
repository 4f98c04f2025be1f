/** The answer's schema in a generateContent request. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { isRecursive, partsOf } from "../../core/schema-parts.js";
import { objectsIn } from "../request-facts.js";
import type { WireIssue } from "../wire-issue.js";
import { invalidValue, violation } from "./issues.js";
import type { GoogleModel } from "./models.js";
import { checkSchema } from "./validate-tools.js";

const JSON_TYPE = "application/json";
const MIME_TYPES: readonly unknown[] = [undefined, "text/plain", JSON_TYPE, "text/x.enum"];
const CONFIG = "generation_config";

export function checkOutput(body: JsonObject, model: GoogleModel): readonly WireIssue[] {
  const config = isJsonObject(body.generationConfig) ? body.generationConfig : {};
  const { responseMimeType: mime, responseSchema: schema, responseJsonSchema: jsonSchema } = config;
  if (!MIME_TYPES.includes(mime)) {
    const allowed =
      "allowed mimetypes are `text/plain`, `application/json`, `application/xml`, `application/yaml` and `text/x.enum`.";
    return [violation(`${CONFIG}.response_mime_type`, allowed)];
  }
  if (schema !== undefined && jsonSchema !== undefined) {
    return [{ path: CONFIG, message: "response_schema and response_json_schema cannot both be set." }];
  }
  if ((schema !== undefined || jsonSchema !== undefined) && (mime === undefined || mime === "text/plain")) {
    const sentence = "only supported when response mime type is set to `application/json`.";
    return [violation(`${CONFIG}.response_schema`, sentence)];
  }
  if (mime === JSON_TYPE && !model.jsonBesideTools && objectsIn(body.tools).length > 0) {
    const message = `Function calling with a response mime type: '${JSON_TYPE}' is unsupported`;
    return [{ path: `${CONFIG}.response_mime_type`, message }];
  }
  return [
    ...(schema === undefined ? [] : checkSchema(schema, `${CONFIG}.response_schema`)),
    ...(jsonSchema === undefined ? [] : checkJsonSchema(jsonSchema)),
  ];
}

/** Of the whole JSON Schema it passes over what it does not know. */
function checkJsonSchema(schema: JsonValue): readonly WireIssue[] {
  const path = `${CONFIG}.response_json_schema`;
  if (!isJsonObject(schema)) return [invalidValue(path, "TYPE_MESSAGE", "expected an object")];
  if (isRecursive(schema))
    return [violation(path, "cyclic references may only be used within non-required properties.")];
  const crowded = partsOf(schema).some(
    (part) =>
      isJsonObject(part) &&
      part.$ref !== undefined &&
      Object.keys(part).some((keyword) => !keyword.startsWith("$")),
  );
  return crowded ? [violation(path, "no other properties may be set beside `$ref`.")] : [];
}

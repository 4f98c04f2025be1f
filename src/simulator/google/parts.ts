/** Contents and parts of a generateContent request, as the validators and the facts read them. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { objectsIn } from "../request-facts.js";

/** The fields of which a part has exactly one. */
export const DATA_FIELDS: readonly string[] = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
  "audioTranscription",
];

export function partsIn(content: JsonValue | undefined): readonly JsonObject[] {
  return isJsonObject(content) ? objectsIn(content.parts) : [];
}

export function callsIn(content: JsonObject): readonly JsonObject[] {
  return partsIn(content)
    .map(({ functionCall }) => functionCall)
    .filter(isJsonObject);
}

export function responsesIn(content: JsonObject): readonly JsonObject[] {
  return partsIn(content)
    .map(({ functionResponse }) => functionResponse)
    .filter(isJsonObject);
}

/** From the user, and more than results of functions: here a turn begins. */
export function isQuestion(content: JsonObject): boolean {
  return (
    content.role !== "model" &&
    partsIn(content).some(({ functionResponse }) => !isJsonObject(functionResponse))
  );
}

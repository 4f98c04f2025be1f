/** The input of a Responses request as a list of items. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { objectsIn } from "../request-facts.js";

/** A bare text is one message of the user. */
export function itemsIn(input: JsonValue | undefined): readonly JsonObject[] {
  return typeof input === "string" ? [{ role: "user", content: input }] : objectsIn(input);
}

/** A message may leave its type out. */
export function typeOf(item: JsonObject): string {
  if (typeof item.type === "string") return item.type;
  return typeof item.role === "string" ? "message" : "";
}

export function partsIn(content: JsonValue | undefined): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "input_text", text: content }] : objectsIn(content);
}

/** What the request wants to be added to the response. */
export function includes(request: JsonObject, what: string): boolean {
  return Array.isArray(request.include) && request.include.includes(what);
}

/** Whether the request asks for a summary of the reasoning. */
export function wantsReasoning(request: JsonObject): boolean {
  const { reasoning } = request;
  return isJsonObject(reasoning) && typeof reasoning.summary === "string";
}

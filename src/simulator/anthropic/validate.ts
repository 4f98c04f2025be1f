import { isJsonObject, type JsonValue } from "../../core/json.js";
import type { ValidationOptions } from "../wire.js";
import type { WireIssue } from "../wire-issue.js";

export function validateAnthropicRequest(
  body: JsonValue,
  _options: ValidationOptions = {},
): readonly WireIssue[] {
  if (!isJsonObject(body)) return [{ path: "", message: "Input should be an object" }];
  if (typeof body.model !== "string") return [{ path: "model", message: "model: Field required" }];
  if (body.max_tokens === undefined) return [{ path: "max_tokens", message: "max_tokens: Field required" }];
  return [];
}

/** Errors as the Messages API states them. */
import type { JsonObject } from "../../core/json.js";
import type { WireError } from "../wire.js";

const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export const OVERLOADED: WireError = { status: 529, type: "overloaded_error", message: "Overloaded" };

export function errorBody(error: WireError, requestId: string): JsonObject {
  const type =
    error.type ?? TYPES[error.status] ?? (error.status < 500 ? "invalid_request_error" : "api_error");
  return { type: "error", error: { type, message: error.message }, request_id: requestId };
}

export function errorEvent(error: WireError, requestId: string): string {
  return `event: error\ndata: ${JSON.stringify(errorBody(error, requestId))}\n\n`;
}

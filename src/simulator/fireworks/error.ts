/** Errors as Fireworks states them on its Chat Completions wire. */
import type { JsonObject } from "../../core/json.js";
import type { WireError } from "../wire.js";

const CODES: Readonly<Record<number, string>> = {
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  408: "REQUEST_TIMEOUT",
  429: "RATE_LIMIT_EXCEEDED",
  500: "INTERNAL_SERVER_ERROR",
  503: "SERVICE_UNAVAILABLE",
};

export const OVERLOADED: WireError = {
  status: 503,
  message: "The service is overloaded. Please try again later.",
};

export function errorBody(error: WireError): JsonObject {
  const fallback = error.status < 500 ? "invalid_request_error" : "INTERNAL_SERVER_ERROR";
  const code = error.code ?? CODES[error.status] ?? fallback;
  const type = error.type ?? (code === "invalid_request_error" ? code : "error");
  return { error: { object: "error", message: error.message, type, param: error.param ?? null, code } };
}

export function errorEvent(error: WireError): string {
  return `data: ${JSON.stringify(errorBody(error))}\n\n`;
}

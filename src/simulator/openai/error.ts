/** Errors as the Responses API states them; Chat Completions of the same vendor have the same shape. */
import type { JsonObject } from "../../core/json.js";
import type { WireError } from "../wire.js";

interface Kind {
  readonly type: string;
  readonly code: string | null;
}

const INVALID: Kind = { type: "invalid_request_error", code: null };
const KINDS: Readonly<Record<number, Kind>> = {
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  429: { type: "requests", code: "rate_limit_exceeded" },
  503: { type: "service_unavailable_error", code: "server_is_overloaded" },
};

export const OVERLOADED: WireError = {
  status: 503,
  type: "service_unavailable_error",
  code: "server_is_overloaded",
  message: "Our servers are currently overloaded. Please try again later.",
};

export function errorBody(error: WireError): JsonObject {
  const kind = KINDS[error.status] ?? (error.status < 500 ? INVALID : { type: "server_error", code: null });
  return {
    error: {
      message: error.message,
      type: error.type ?? kind.type,
      param: error.param ?? null,
      code: error.code === undefined ? kind.code : error.code,
    },
  };
}

/** `messages.1.content.0` as the vendor writes it: `messages[1].content[0]`. */
export function paramOf(path: string): string {
  return path.replace(/\.(\d+)(?=\.|$)/g, "[$1]");
}

/** The event by which a stream that has begun reports an error. */
export function errorEvent(error: WireError): string {
  const { error: stated } = errorBody(error) as { readonly error: JsonObject };
  const code = stated.code ?? stated.type;
  const event = { type: "error", sequence_number: 0, code, message: stated.message, param: stated.param };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}

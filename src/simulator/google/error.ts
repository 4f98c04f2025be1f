/** Errors as Google's APIs state them. */
import type { JsonObject, JsonValue } from "../../core/json.js";
import type { WireError } from "../wire.js";

const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

export const OVERLOADED: WireError = {
  status: 503,
  message: "The model is overloaded. Please try again later.",
};

/** The status word may stand in `type`; `code` is always the number of the HTTP status. */
export function errorBody(error: WireError): JsonObject {
  const status = error.type ?? STATUSES[error.status] ?? "UNKNOWN";
  const details = detailsOf(error);
  return {
    error: {
      code: error.status,
      message: error.message,
      status,
      ...(details.length === 0 ? {} : { details }),
    },
  };
}

export function errorEvent(error: WireError): string {
  return `data: ${JSON.stringify(errorBody(error))}\r\n\r\n`;
}

/** Here the wish to wait stands in the body. */
function detailsOf({ code, retryAfterSeconds }: WireError): readonly JsonValue[] {
  const reason =
    typeof code === "string"
      ? [
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: code,
            domain: "googleapis.com",
            metadata: { service: "generativelanguage.googleapis.com" },
          },
        ]
      : [];
  const retry =
    retryAfterSeconds === undefined
      ? []
      : [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfterSeconds}s` }];
  return [...reason, ...retry];
}

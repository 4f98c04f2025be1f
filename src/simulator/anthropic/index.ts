/** The wire of Anthropic's Messages API. */
import type { IncomingHttpHeaders } from "node:http";
import type { Wire, WireError } from "../wire.js";
import { errorBody, errorEvent, OVERLOADED } from "./error.js";
import { factsFrom } from "./facts.js";
import { replyBody } from "./reply.js";
import { replyEvents } from "./stream.js";
import { validateAnthropicRequest } from "./validate.js";

export const anthropicWire: Wire = {
  name: "anthropic",
  prefix: "anthropic",
  overloaded: OVERLOADED,
  maximumBodyBytes: 32 * 1024 * 1024,
  route: (method, path) => (method === "POST" && path === "/v1/messages" ? {} : undefined),
  authenticate,
  validate: (body, _route, options) => validateAnthropicRequest(body, options),
  facts: factsFrom,
  replyBody,
  replyEvents,
  errorBody,
  errorEvent,
  responseHeaders: (requestId) => ({ "request-id": requestId }),
};

function authenticate(headers: IncomingHttpHeaders): WireError | undefined {
  const bearer = /^Bearer (.*)$/.exec(headers.authorization ?? "")?.[1];
  const key = headers["x-api-key"] ?? bearer ?? "";
  if (key === "") return { status: 401, message: "x-api-key header is required" };
  if (key === "invalid") return { status: 401, message: "invalid x-api-key" };
  if (headers["anthropic-version"] === undefined) {
    return { status: 400, message: "anthropic-version: header is required" };
  }
  return undefined;
}

/** The wires of Chat Completions: Fireworks, and a server that is only compatible with it. */
import type { IncomingHttpHeaders } from "node:http";
import type { Wire, WireError } from "../wire.js";
import { errorBody, errorEvent, OVERLOADED } from "./error.js";
import { factsFrom } from "./facts.js";
import { replyBody } from "./reply.js";
import { replyEvents } from "./stream.js";
import { validateCompatibleRequest, validateFireworksRequest } from "./validate.js";

export const fireworksWire: Wire = {
  name: "fireworks",
  prefix: "fireworks",
  overloaded: OVERLOADED,
  route: (method, path) => (method === "POST" && path === "/inference/v1/chat/completions" ? {} : undefined),
  authenticate,
  validate: (body, _route, options) => validateFireworksRequest(body, options),
  facts: factsFrom,
  replyBody,
  replyEvents: (reply, request, size) => replyEvents(reply, request, size, true),
  errorBody,
  errorEvent,
  responseHeaders: (requestId) => ({ "x-request-id": requestId }),
};

/** Like a local llama.cpp, vLLM or Ollama: no key is needed. */
export const compatibleWire: Wire = {
  ...fireworksWire,
  name: "compatible",
  prefix: "compatible",
  route: (method, path) => (method === "POST" && path === "/v1/chat/completions" ? {} : undefined),
  authenticate: (headers) => (keyIn(headers) === "invalid" ? authenticate(headers) : undefined),
  validate: (body, _route, options) => validateCompatibleRequest(body, options),
  replyEvents: (reply, request, size) => replyEvents(reply, request, size, false),
};

function keyIn(headers: IncomingHttpHeaders): string | undefined {
  return /^Bearer\s+(.+)$/.exec(headers.authorization ?? "")?.[1];
}

function authenticate(headers: IncomingHttpHeaders): WireError | undefined {
  const key = keyIn(headers);
  if (key !== undefined && key !== "invalid") return undefined;
  return { status: 401, message: "The API key you provided is invalid." };
}

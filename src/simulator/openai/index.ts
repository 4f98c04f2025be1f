/** The wire of OpenAI's Responses API. */
import type { IncomingHttpHeaders } from "node:http";
import type { Wire, WireError } from "../wire.js";
import { errorBody, errorEvent, OVERLOADED, paramOf } from "./error.js";
import { factsFrom } from "./facts.js";
import { replyBody } from "./reply.js";
import { replyEvents } from "./stream.js";
import { validateOpenaiRequest } from "./validate.js";

export const openaiWire: Wire = {
  name: "openai",
  prefix: "openai",
  overloaded: OVERLOADED,
  route: (method, path) => (method === "POST" && path === "/v1/responses" ? {} : undefined),
  authenticate,
  validate: (body, _route, options) => validateOpenaiRequest(body, options),
  facts: factsFrom,
  replyBody,
  replyEvents,
  errorBody: ({ param, ...error }) =>
    errorBody({ ...error, param: typeof param === "string" ? paramOf(param) : null }),
  errorEvent,
  responseHeaders: (requestId) => ({ "x-request-id": requestId, "openai-version": "2020-10-01" }),
};

function authenticate(headers: IncomingHttpHeaders): WireError | undefined {
  const key = /^Bearer\s+(.+)$/.exec(headers.authorization ?? "")?.[1];
  if (key === undefined) {
    const message =
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";
    return { status: 401, message, code: null };
  }
  if (key !== "invalid") return undefined;
  const message =
    "Incorrect API key provided: invalid. You can find your API key at https://platform.openai.com/account/api-keys.";
  return { status: 401, message };
}

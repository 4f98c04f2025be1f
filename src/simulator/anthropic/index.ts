/** The wire of Anthropic's Messages API. */
import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject, type JsonValue } from "../../core/json.js";
import type { Exchange } from "../exchange.js";
import { sendError } from "../faults.js";
import { parseJson, readBody } from "../request-body.js";
import type { Wire, WireError } from "../wire.js";
import { errorBody, errorEvent, OVERLOADED } from "./error.js";
import { factsFrom, inputTokens } from "./facts.js";
import { replyBody } from "./reply.js";
import { replyEvents } from "./stream.js";
import { validateAnthropicRequest } from "./validate.js";

const MAXIMUM_BODY = 32 * 1024 * 1024;

export const anthropicWire: Wire = {
  name: "anthropic",
  prefix: "anthropic",
  overloaded: OVERLOADED,
  maximumBodyBytes: MAXIMUM_BODY,
  route: (method, path) => (method === "POST" && path === "/v1/messages" ? {} : undefined),
  serveOther: serveTokenCount,
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

async function serveTokenCount(exchange: Exchange, path: string): Promise<boolean> {
  if (exchange.request.method !== "POST" || path !== "/v1/messages/count_tokens") return false;
  const text = (await readBody(exchange.request, MAXIMUM_BODY))?.toString("utf8") ?? "";
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    await sendError(exchange, anthropicWire, { status: 400, message: "Input should be a valid dictionary" });
    return true;
  }
  const body: JsonValue = { ...parsed.value, max_tokens: 1 };
  const [issue] = validateAnthropicRequest(body);
  if (issue === undefined) await exchange.sendJson(200, { input_tokens: inputTokens(body) });
  else await sendError(exchange, anthropicWire, { status: issue.status ?? 400, message: issue.message });
  return true;
}

/** Routes a request: to the control API, or to a wire and through authentication, validation, script and reply. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { CONTROL_PREFIX, serveControl } from "./control.js";
import { type Emission, emitReply } from "./emit-reply.js";
import { Exchange } from "./exchange.js";
import { applyFault, sendError } from "./faults.js";
import { parseJson, readBody } from "./request-body.js";
import { replyTo } from "./simulated-reply.js";
import type { SimulatorState } from "./state.js";
import { checkWellFormed } from "./well-formed.js";
import type { GenerateRoute, Wire, WireError } from "./wire.js";
import type { WireIssue } from "./wire-issue.js";

const MAXIMUM_BODY = 64 * 1024 * 1024;

export async function serve(
  state: SimulatorState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  if (url.pathname.startsWith(CONTROL_PREFIX)) return serveControl(state, request, response, url);
  const wire = state.wires.find(({ prefix }) => url.pathname.startsWith(`/${prefix}/`));
  if (wire === undefined) return refuseForeignPath(state, response, url.pathname);
  const path = url.pathname.slice(wire.prefix.length + 1);
  const method = request.method ?? "GET";
  const route = wire.route(method, path);
  const record = state.calls.open(wire.name, method, path, route !== undefined);
  const exchange = new Exchange(request, response, record, state.calls);
  const refused = wire.authenticate(request.headers, url.searchParams);
  if (refused !== undefined) {
    await readBody(request, MAXIMUM_BODY);
    return sendError(exchange, wire, refused);
  }
  if (route === undefined && (await failOther(state, exchange, wire, path))) return;
  if (await wire.serveOther?.(exchange, path, url.searchParams)) return;
  if (route === undefined) return sendError(exchange, wire, { status: 404, message: `Not Found: ${path}` });
  await serveGeneration(state, exchange, wire, route, url.searchParams);
}

/** Applies the fault that a script has for this path of the Files API; true when it had one. */
async function failOther(
  state: SimulatorState,
  exchange: Exchange,
  wire: Wire,
  path: string,
): Promise<boolean> {
  const entry = state.script.takeByPath(wire.name, path);
  if (entry?.fault === undefined) return false;
  await readBody(exchange.request, wire.maximumBodyBytes ?? MAXIMUM_BODY);
  // A fault may keep silent for ever: who waits for the call hears of it now.
  exchange.note({});
  const reply = replyTo(wire.facts({}, {}), entry.reply);
  await applyFault(entry.fault, { exchange, wire, reply, body: {}, stream: false, pace: entry.pace ?? {} });
  return true;
}

async function serveGeneration(
  state: SimulatorState,
  exchange: Exchange,
  wire: Wire,
  route: GenerateRoute,
  query: URLSearchParams,
): Promise<void> {
  const bytes = await readBody(exchange.request, wire.maximumBodyBytes ?? MAXIMUM_BODY);
  if (bytes === undefined) {
    return sendError(exchange, wire, { status: 413, message: "Request exceeds the maximum size" });
  }
  const parsed = parseJson(bytes.toString("utf8"));
  if (!parsed.ok) {
    const message = `The request body is not valid JSON: ${parsed.reason}`;
    return sendError(exchange, wire, { status: 400, message });
  }
  const body = parsed.value as JsonValue;
  const illFormed = checkWellFormed(body);
  const issues = illFormed.length > 0 ? illFormed : wire.validate(body, route, state.options);
  if (state.options.keepBodies !== false) state.calls.keepBody(exchange.record, body, bytes.length);
  exchange.note({ issues });
  const refusal = firstRefusal(issues) ?? refusalByState(wire, body, exchange, query);
  if (refusal !== undefined || !isJsonObject(body)) {
    return sendError(exchange, wire, refusal ?? { status: 400, message: "The request is not an object" });
  }
  await answer(state, exchange, wire, route, body);
}

function firstRefusal(issues: readonly WireIssue[]): WireError | undefined {
  const [issue] = issues;
  if (issue === undefined) return undefined;
  const { status = 400, message, path, type, code } = issue;
  return {
    status,
    message,
    param: path === "" ? null : path,
    ...(type === undefined ? {} : { type }),
    ...(code === undefined ? {} : { code }),
  };
}

function refusalByState(
  wire: Wire,
  body: JsonValue,
  exchange: Exchange,
  query: URLSearchParams,
): WireError | undefined {
  if (!isJsonObject(body)) return undefined;
  return wire.refuse?.(body, exchange.request.headers, query);
}

async function answer(
  state: SimulatorState,
  exchange: Exchange,
  wire: Wire,
  route: GenerateRoute,
  body: JsonObject,
): Promise<void> {
  const facts = wire.facts(body, route);
  exchange.note({ model: facts.model, stream: facts.stream, lastUserText: facts.lastUserText });
  const entry = state.script.take(wire.name, facts, exchange.record.path);
  const emission: Emission = {
    exchange,
    wire,
    reply: replyTo(facts, entry?.reply),
    body,
    stream: facts.stream,
    pace: { ...state.pace, ...entry?.pace },
  };
  if (entry?.fault === undefined) await emitReply(emission);
  else await applyFault(entry.fault, emission);
}

function refuseForeignPath(_state: SimulatorState, response: ServerResponse, path: string): void {
  const message = `The simulator serves no ${path}. It speaks /anthropic, /openai/v1, /google, /fireworks/inference/v1, /compatible/v1 and /_simulator.`;
  response.writeHead(404, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message } }));
}

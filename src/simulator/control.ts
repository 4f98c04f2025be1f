/** The small HTTP API by which a test or a command steers a simulator that runs in another process. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonObject } from "../core/json.js";
import { parsePace, parseScript } from "./parse-script.js";
import { parseJson, readBody } from "./request-body.js";
import type { SimulatorState } from "./state.js";

export const CONTROL_PREFIX = "/_simulator/";

const MAXIMUM_SCRIPT = 16 * 1024 * 1024;

type Action = (state: SimulatorState, input: unknown, url: URL) => unknown;

const ACTIONS: Readonly<Record<string, Action>> = {
  "GET health": (state) => ({ simulated: true, pendingScript: state.script.pending }),
  "GET counters": (state) => state.calls.counters(),
  "GET calls": (state, _input, url) => {
    const bodies = url.searchParams.get("bodies") === "true";
    return state.calls.records.map((record) => (bodies ? record : { ...record, body: null }));
  },
  "POST script": (state, input) => {
    const entries = parseScript(input);
    state.script.add(...entries);
    return { added: entries.length };
  },
  "POST pace": (state, input) => {
    state.pace = { ...state.pace, ...parsePace(input, "pace") };
    return { pace: state.pace };
  },
  "POST clock": (state, input) => {
    const milliseconds = isJsonObject(input) ? input.advanceMs : undefined;
    if (typeof milliseconds !== "number") throw new Error('Send {"advanceMs": <milliseconds>}.');
    state.advanceClock(milliseconds);
    return { now: state.now() };
  },
  "POST reset": (state) => {
    state.reset();
    return {};
  },
};

export async function serveControl(
  state: SimulatorState,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const name = `${request.method} ${url.pathname.slice(CONTROL_PREFIX.length)}`;
  const action = ACTIONS[name];
  if (action === undefined) {
    return send(response, 404, {
      error: `The simulator has no control ${name}. Known: ${Object.keys(ACTIONS).join(", ")}.`,
    });
  }
  const text = (await readBody(request, MAXIMUM_SCRIPT))?.toString("utf8");
  const parsed = parseJson(text === undefined || text === "" ? "null" : text);
  if (!parsed.ok) return send(response, 400, { error: `Not JSON: ${parsed.reason}` });
  try {
    send(response, 200, action(state, parsed.value, url));
  } catch (error) {
    send(response, 400, { error: error instanceof Error ? error.message : String(error) });
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

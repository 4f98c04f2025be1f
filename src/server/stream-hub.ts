/** The stream hub: workers push frames over HTTP, readers get them as server-sent events. It outlives a killed worker. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { InProcessHub } from "../connection/frame-buffer.js";
import type { StreamAddress } from "../connection/stream-address.js";
import { UsageError } from "../core/errors/errors.js";
import { receiveFrames } from "./receive-frames.js";
import { sendFrames, sendTurns } from "./send-events.js";
import { refuse } from "./stream-response.js";

export interface StreamHubOptions {
  /** Default 127.0.0.1: only processes of this machine. */
  readonly host?: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Default: a random one. */
  readonly token?: string;
  /** Default: one of its own. */
  readonly hub?: InProcessHub;
  /** Time between comments that keep a quiet connection open. Default 15 s. */
  readonly keepAliveMs?: number;
  /** How long a reader may take nothing before it is cut off, to come back by its cursor. Default 30 s. */
  readonly stalledMs?: number;
}

export interface StreamHub extends StreamAddress {
  readonly hub: InProcessHub;
  /** Ends all connections. May be called again. */
  stop(): Promise<void>;
}

const FRAMES = /^\/conversations\/([^/]+)\/frames$/;
const TURNS = /^\/conversations\/([^/]+)\/turns$/;
const TURN_FRAMES = /^\/conversations\/([^/]+)\/turns\/([^/]+)\/frames$/;

/**
 * Starts the hub. `POST /conversations/ID/frames` takes NDJSON; `GET /conversations/ID/turns/TURN/frames` answers with
 * `text/event-stream`, from the cursor in Last-Event-ID or `?from=`, and with 204 where nothing comes after it; `GET
 * /conversations/ID/turns` tells which turns begin. All want the token as Bearer.
 * Throws UsageError when the port is taken.
 */
export async function startStreamHub(options: StreamHubOptions = {}): Promise<StreamHub> {
  const hub = options.hub ?? new InProcessHub();
  const token = options.token ?? randomBytes(32).toString("base64url");
  const stopping = new AbortController();
  const route = createRoute({ hub, token, options, stopping: stopping.signal });
  // Later than the rest: to a module, all of node:http is given at once, and undici's clients with it.
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    route(request, response).catch(() => refuse(response, 500, "The stream hub failed on this request"));
  });
  // Workers keep their connection between turns.
  server.keepAliveTimeout = 60_000;
  const url = await listen(server, options.host ?? "127.0.0.1", options.port ?? 0);
  return { url, token, hub, stop: () => stop(server, stopping) };
}

interface RouteContext {
  readonly hub: InProcessHub;
  readonly token: string;
  readonly options: StreamHubOptions;
  readonly stopping: AbortSignal;
}

function createRoute(
  context: RouteContext,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const isAllowed = tokenCheck(context.token);
  return async (request, response) => {
    if (!isAllowed(request.headers.authorization))
      return refuse(response, 401, "A Bearer token is missing or wrong");
    const url = URL.parse(request.url ?? "/", "http://hub");
    if (url === null) return refuse(response, 400, "The address of the request is malformed");
    const pushed = FRAMES.exec(url.pathname);
    if (pushed !== null && request.method === "POST")
      return receiveFrames(request, response, context.hub, decode(pushed[1]));
    if (request.method === "GET") {
      const sending = {
        stopping: context.stopping,
        keepAliveMs: context.options.keepAliveMs ?? 15_000,
        stalledMs: context.options.stalledMs ?? 30_000,
      };
      const read = TURN_FRAMES.exec(url.pathname);
      const from = request.headers["last-event-id"]?.toString() ?? url.searchParams.get("from");
      if (read !== null) return sendFrames(response, sending, { hub: context.hub, ...ids(read), from });
      const followed = TURNS.exec(url.pathname);
      if (followed !== null)
        return sendTurns(response, sending, { hub: context.hub, conversationId: decode(followed[1]) });
    }
    return refuse(
      response,
      404,
      "No such address: frames are posted to /conversations/ID/frames and read at …/turns/TURN/frames, turns followed at …/turns",
    );
  };
}

function ids(match: RegExpExecArray): { readonly conversationId: string; readonly turnId: string } {
  return { conversationId: decode(match[1]), turnId: decode(match[2]) };
}

/** Compares digests, so that neither the time nor the length tells anything about the token. */
function tokenCheck(token: string): (header: string | undefined) => boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  const expected = digest(`Bearer ${token}`);
  return (header) => timingSafeEqual(digest(header ?? ""), expected);
}

function decode(part: string | undefined): string {
  try {
    return decodeURIComponent(part ?? "");
  } catch {
    return part ?? "";
  }
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    throw new UsageError(
      `The stream cannot listen on ${host}:${port} (${(error as Error).message}): choose another port, or leave it out for a free one`,
      { cause: error },
    );
  }
  const bound = (server.address() as AddressInfo).port;
  return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
}

async function stop(server: Server, stopping: AbortController): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  stopping.abort();
  server.closeAllConnections();
  await closed;
}

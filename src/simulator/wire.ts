/** The port to one provider's wire: what the server needs to know to speak it. One folder each implements it. */
import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject, JsonValue } from "../core/json.js";
import type { ProviderName } from "../core/providers.js";
import type { Exchange } from "./exchange.js";
import type { RequestFacts } from "./request-facts.js";
import type { SimulatedReply } from "./simulated-reply.js";
import type { WireIssue } from "./wire-issue.js";

/** Who is simulated: the name under which scripts and counters speak of a wire. */
export type WireName = ProviderName;

/** An error as a provider states it; each wire gives it its own shape. */
export interface WireError {
  readonly status: number;
  readonly message: string;
  /** The vendor's word (`rate_limit_error`, `RESOURCE_EXHAUSTED`, …); absent: the usual one for the status. */
  readonly type?: string;
  readonly code?: string | null;
  readonly param?: string | null;
  /** How long the client shall wait, for a wire that says so in the body. */
  readonly retryAfterSeconds?: number;
}

/** A request that asks for an answer of the model, as the path tells it. */
export interface GenerateRoute {
  /** Only where the path names it. */
  readonly model?: string;
  /** Only where the path decides it. */
  readonly stream?: boolean;
}

/** One server-sent event, ready to be written. */
export interface WireEvent {
  readonly frame: string;
  /** True for a piece of text, reasoning or arguments: what scripts count as a chunk. */
  readonly chunk: boolean;
  /** The one that says why the answer has ended; what comes behind it says nothing more of it. */
  readonly finish?: true;
}

export interface ValidationOptions {
  /** In place of the context that the model's own data states. */
  readonly contextTokens?: number;
  /** False: the bytes of media are not looked at, only their types and sizes; for histories with made-up media. */
  readonly mediaBytes?: boolean;
}

export interface Wire {
  readonly name: WireName;
  /** The first path segment under the simulator's URL. */
  readonly prefix: string;
  readonly overloaded: WireError;
  /** A longer body is answered with 413. */
  readonly maximumBodyBytes?: number;
  route(method: string, path: string): GenerateRoute | undefined;
  /** Serves what is not a generation (files, token counts); true when it did. */
  serveOther?(exchange: Exchange, path: string, query: URLSearchParams): Promise<boolean>;
  authenticate(headers: IncomingHttpHeaders, query: URLSearchParams): WireError | undefined;
  /** Pure: what the real service would refuse in this body, first things first. */
  validate(body: JsonValue, route: GenerateRoute, options: ValidationOptions): readonly WireIssue[];
  /** What depends on more than the body, such as uploaded files. */
  refuse?(body: JsonObject, headers: IncomingHttpHeaders, query: URLSearchParams): WireError | undefined;
  facts(body: JsonObject, route: GenerateRoute): RequestFacts;
  replyBody(reply: SimulatedReply, body: JsonObject): JsonObject;
  replyEvents(reply: SimulatedReply, body: JsonObject, chunkSize: number): readonly WireEvent[];
  errorBody(error: WireError, requestId: string): JsonObject;
  /** The event by which a stream that has begun states an error. */
  errorEvent(error: WireError, requestId: string): string;
  responseHeaders(requestId: string): Readonly<Record<string, string>>;
}

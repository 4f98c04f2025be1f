/** Scripted replies and faults: plain data, so that they travel to a simulator in another process. */
import type { Usage } from "../core/envelope/envelope.js";
import type { JsonObject } from "../core/json.js";
import type { RequestFacts } from "./request-facts.js";
import type { ReplyFinish } from "./simulated-reply.js";
import type { WireName } from "./wire.js";

/** Which calls an entry is for; all that are named must fit. */
export interface ScriptMatch {
  readonly wire?: WireName;
  readonly model?: string;
  /** Must occur in the text of the last user message. */
  readonly text?: string;
  /**
   * Must occur in the path after the wire's prefix. Only an entry that names a path can be for a call that asks no
   * model, such as `/upload/` and `/files/` of Google; it needs a fault.
   */
  readonly path?: string;
}

export interface ScriptedToolCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments?: JsonObject;
}

export interface ScriptedReply {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** What is absent is estimated. */
  readonly usage?: Partial<Usage>;
  readonly finishReason?: ReplyFinish;
  /** In place of the wire's own word for the reason. On openai `failed` makes a failed response, another word an incomplete one. */
  readonly rawFinishReason?: string;
  /** The model that the reply says has answered. */
  readonly model?: string;
}

/** How fast a reply comes, in milliseconds. */
export interface Pace {
  /** Before anything is sent. */
  readonly delayMs?: number;
  /** Before each streamed chunk. */
  readonly chunkDelayMs?: number;
  /** The whole reply lasts at least this long, spread over its chunks. */
  readonly minimumReplyMs?: number;
  /** Characters a chunk. */
  readonly chunkSize?: number;
}

interface RetryAfter {
  /** A number is seconds; a text (an HTTP date) goes out as it stands. */
  readonly retryAfter?: number | string;
  /** Sent as `retry-after-ms`. */
  readonly retryAfterMs?: number;
}

interface AfterChunks {
  /** How many chunks of text, reasoning or arguments come first; absent: it strikes before the headers. */
  readonly afterChunks?: number;
  /** It strikes behind the event with the finish reason, and in the place of what follows that one. */
  readonly afterFinish?: boolean;
}

export type Fault =
  | ({ readonly kind: "status"; readonly status: number } & RetryAfter & {
        readonly type?: string;
        readonly message?: string;
        readonly code?: string;
        readonly headers?: Readonly<Record<string, string>>;
      })
  | ({ readonly kind: "overloaded" } & RetryAfter)
  /** Nothing more comes, and the socket stays open. */
  | ({ readonly kind: "hang" } & AfterChunks)
  /** The socket is destroyed. */
  | ({ readonly kind: "cut" } & AfterChunks)
  /** A clean end without the closing events; absent `afterChunks`: after the last chunk. */
  | ({ readonly kind: "truncated" } & AfterChunks)
  | ({ readonly kind: "malformed" } & AfterChunks)
  /** The vendor's error event in a stream that has begun. */
  | ({ readonly kind: "stream_error"; readonly type?: string; readonly message?: string } & AfterChunks)
  | { readonly kind: "huge_error"; readonly status?: number; readonly bytes?: number };

export interface ScriptEntry {
  readonly match?: ScriptMatch;
  /** How many calls it serves: 1 when absent, null for ever. */
  readonly times?: number | null;
  readonly reply?: ScriptedReply;
  readonly fault?: Fault;
  readonly pace?: Pace;
}

/** The entries not used up yet, in the order in which they came. */
export class Script {
  #entries: { readonly entry: ScriptEntry; left: number }[] = [];

  add(...entries: readonly ScriptEntry[]): void {
    for (const entry of entries) {
      this.#entries.push({
        entry,
        left: entry.times === null ? Number.POSITIVE_INFINITY : (entry.times ?? 1),
      });
    }
  }

  /** The first entry that fits, one use less afterwards. */
  take(wire: WireName, facts: RequestFacts, path: string): ScriptEntry | undefined {
    return this.#use(({ match = {} }) => fitsPath(match, wire, path) && fitsFacts(match, facts));
  }

  /** The first entry for a call that asks no model. */
  takeByPath(wire: WireName, path: string): ScriptEntry | undefined {
    return this.#use(({ match = {} }) => match.path !== undefined && fitsPath(match, wire, path));
  }

  #use(fits: (entry: ScriptEntry) => boolean): ScriptEntry | undefined {
    const found = this.#entries.find(({ entry }) => fits(entry));
    if (found === undefined) return undefined;
    found.left -= 1;
    this.#entries = this.#entries.filter(({ left }) => left > 0);
    return found.entry;
  }

  get pending(): number {
    return this.#entries.length;
  }

  clear(): void {
    this.#entries = [];
  }
}

function fitsPath(match: ScriptMatch, wire: WireName, path: string): boolean {
  if (match.wire !== undefined && match.wire !== wire) return false;
  return match.path === undefined || path.includes(match.path);
}

function fitsFacts(match: ScriptMatch, facts: RequestFacts): boolean {
  if (match.model !== undefined && match.model !== facts.model) return false;
  return match.text === undefined || facts.lastUserText.includes(match.text);
}

/** What a thrown value says about a failed call, read by its shape so that no SDK has to be loaded. */
import { isJsonObject } from "../core/json.js";
import { durationMs, type HeaderReader, retryAfterMs } from "./retry-after.js";

export interface FailureEvidence {
  readonly status: number | undefined;
  /** Machine words of the error, in lower case: the body's type, code and status, and error codes of Node. */
  readonly words: readonly string[];
  /** Names of the error's classes, outermost first, its causes after it. */
  readonly classes: readonly string[];
  /** The provider's sentence, or that of the error. */
  readonly message: string;
  readonly retryAfterMs: number | undefined;
  readonly requestId: string | undefined;
}

type Bag = Readonly<Record<string, unknown>>;

const MAX_CAUSES = 5;
/** Error bodies above this are not parsed again; their beginning is read as text. */
const PARSED_CHARACTERS = 4 * 1024 * 1024;

/** `now` is the time in epoch milliseconds, for a `retry-after` that is a date. */
export function failureEvidence(error: unknown, now: number): FailureEvidence {
  const chain = causeChain(error);
  const top = chain[0] ?? {};
  const body = errorBody(top);
  const header = headerReader(top.headers);
  return {
    status: statusOf(top, body),
    words: wordsOf(chain, body),
    classes: chain.map(className).filter((name) => name !== ""),
    message: textOf(body.message) ?? textOf(body.detail) ?? sentenceOf(chain, error),
    retryAfterMs: retryAfterMs(header, now) ?? retryDelay(body.details),
    requestId: header("request-id") ?? header("x-request-id") ?? undefined,
  };
}

/** What the errors of the chain say, each sentence once: SDKs repeat their causes. */
function sentenceOf(chain: readonly Bag[], error: unknown): string {
  const sentences = chain.map(({ message }) =>
    typeof message === "string" ? message.replace(/\.$/, "") : "",
  );
  return [...new Set(sentences)].filter((sentence) => sentence !== "").join(": ") || String(error);
}

function causeChain(error: unknown): readonly Bag[] {
  const chain: Bag[] = [];
  let link: unknown = error;
  while (isBag(link) && chain.length < MAX_CAUSES && !chain.includes(link)) {
    chain.push(link);
    const errors = link.errors;
    link = link.cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return chain;
}

function isBag(value: unknown): value is Bag {
  return typeof value === "object" && value !== null;
}

/** The innermost error object: SDKs keep the whole body, its `error`, or (Google's) the body as text in the message. */
function errorBody(top: Bag): Bag {
  const kept = top.error ?? jsonIn(top.message);
  const first: unknown = Array.isArray(kept) ? kept[0] : kept;
  if (typeof first === "string") return { message: first };
  if (!isJsonObject(first)) return {};
  const inner = first.error;
  if (typeof inner === "string") return { ...first, message: inner };
  return isJsonObject(inner) ? inner : first;
}

function jsonIn(message: unknown): unknown {
  if (typeof message !== "string" || message.length > PARSED_CHARACTERS) return undefined;
  const start = message.search(/[{[]/);
  if (start === -1) return undefined;
  try {
    return JSON.parse(message.slice(start));
  } catch {
    return undefined;
  }
}

function statusOf(top: Bag, body: Bag): number | undefined {
  for (const value of [top.status, top.statusCode, body.code]) {
    if (typeof value === "number" && value >= 400 && value < 600) return value;
  }
  return undefined;
}

function wordsOf(chain: readonly Bag[], body: Bag): readonly string[] {
  const details = isJsonObject(body.details) ? body.details : {};
  const candidates = [
    body.type,
    body.code,
    body.status,
    details.error_code,
    ...chain.flatMap((link) => [link.type, link.code]),
  ];
  return candidates.filter((word) => typeof word === "string").map((word) => word.toLowerCase());
}

function className(link: Bag): string {
  const constructorName: unknown = (link.constructor as { readonly name?: unknown } | undefined)?.name;
  const name = link.name;
  const best = name === undefined || name === "Error" ? constructorName : name;
  return typeof best === "string" ? best : "";
}

function headerReader(headers: unknown): HeaderReader {
  const get = isBag(headers) ? headers.get : undefined;
  if (typeof get !== "function") return () => null;
  return (name) => {
    const value: unknown = get.call(headers, name);
    return typeof value === "string" ? value : null;
  };
}

/** Google's `RetryInfo` among the details of an error. */
function retryDelay(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const detail of details) {
    const delay = isJsonObject(detail) ? durationMs(detail.retryDelay) : undefined;
    if (delay !== undefined) return delay;
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

/** Gemini's streamed chunks put together to one reply. */
import { google } from "../core/dialects/google/index.js";
import type { Content, Part } from "../core/dialects/google/wire.js";
import type { FinishReason } from "../core/envelope/envelope.js";
import { isJsonObject, type JsonObject } from "../core/json.js";
import { type FailureContext, providerFailure } from "./failure.js";
import type { ModelCallHooks, ModelReply } from "./provider.js";

/** What of the SDK's response is read. */
export interface GoogleChunk {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly unknown[] };
    readonly finishReason?: string;
  }[];
  readonly promptFeedback?: { readonly blockReason?: string; readonly blockReasonMessage?: string };
  readonly usageMetadata?: object;
  readonly modelVersion?: string;
}

/** What the wire's enum calls no reason. */
const NO_REASON = "FINISH_REASON_UNSPECIFIED";

export class GoogleReply {
  readonly #hooks: ModelCallHooks;
  readonly #parts: Part[] = [];
  #finish: string | undefined;
  /** More of the answer came behind a finish reason: there it says nothing. */
  #wentOn = false;
  #blocked: string | undefined;
  #usage: JsonObject | undefined;
  #model: string | undefined;

  constructor(hooks: ModelCallHooks) {
    this.#hooks = hooks;
  }

  /** Whether the service has said that nothing more of the answer comes. */
  get isWhole(): boolean {
    if (this.#blocked !== undefined) return true;
    return this.#finish !== undefined && this.#finish !== NO_REASON && !this.#wentOn;
  }

  add(chunk: GoogleChunk): void {
    const { blockReason, blockReasonMessage } = chunk.promptFeedback ?? {};
    if (blockReason) this.#blocked = [blockReason, blockReasonMessage].filter(Boolean).join(": ");
    // Within a stream the counts are running totals.
    if (isJsonObject(chunk.usageMetadata)) this.#usage = { ...this.#usage, ...chunk.usageMetadata };
    this.#model = chunk.modelVersion ?? this.#model;
    const candidate = chunk.candidates?.[0];
    if (this.isWhole && candidate?.content?.parts?.some(saysMore)) this.#wentOn = true;
    this.#finish = candidate?.finishReason ?? this.#finish;
    for (const part of candidate?.content?.parts ?? []) {
      if (isJsonObject(part)) this.#addPart(part);
    }
  }

  /** @throws ProviderFailure when the stream has no end, or nothing was said for a reason that is a failure. */
  end(context: FailureContext): ModelReply {
    if (this.#blocked !== undefined) {
      throw providerFailure("content_refused", context, `the prompt was blocked, ${this.#blocked}`);
    }
    if (this.#finish === undefined) {
      throw providerFailure("stream_cut", context, "the stream ended without a finish reason");
    }
    const finish = this.#unified(this.#finish);
    if (!this.#parts.some(isSaid)) assertHarmless(finish, context);
    const message: Content = { role: "model", parts: this.#parts.map(wellFormed) };
    return {
      // The wire takes no content without parts: a model that said nothing leaves nothing, not even a signature of it.
      messages: this.#parts.every((part) => part.text === "") ? [] : [message],
      usage: google.usage(this.#usage),
      raw_usage: this.#usage ?? null,
      finish_reason: finish,
      model: this.#model ?? context.model,
    };
  }

  #unified(raw: string): FinishReason {
    const reason = google.finishReason(raw);
    const calls = this.#parts.some((part) => part.functionCall);
    return calls && reason.unified === "stop" ? { ...reason, unified: "tool_calls" } : reason;
  }

  #addPart(part: Part): void {
    if (typeof part.text === "string" && part.text !== "") {
      if (part.thought === true) this.#hooks.onReasoning(part.text);
      else this.#hooks.onText(part.text);
    }
    const last = this.#parts.at(-1);
    if (last !== undefined && canMerge(last, part)) {
      this.#parts[this.#parts.length - 1] = { ...last, text: `${last.text}${part.text}` };
    } else if (!isEmpty(part)) {
      this.#parts.push(hasData(part) ? part : { ...part, text: "" });
    }
  }
}

function saysMore(part: unknown): boolean {
  return isJsonObject(part) && !isEmpty(part);
}

/** Only once the pieces are together: a character may have been cut between two of them. */
function wellFormed(part: Part): Part {
  return typeof part.text === "string" ? { ...part, text: part.text.toWellFormed() } : part;
}

/** Pieces of one text. A signature belongs to the very part that carries it. */
function canMerge(last: Part, next: Part): boolean {
  return isPlainText(last) && isPlainText(next) && (last.thought ?? false) === (next.thought ?? false);
}

function isPlainText(part: Part): boolean {
  return (
    typeof part.text === "string" && Object.keys(part).every((key) => key === "text" || key === "thought")
  );
}

/** Nothing that a request may hold: a part needs data, and only a signature may stand beside an empty text. */
function isEmpty(part: Part): boolean {
  return !part.thoughtSignature && (part.text === "" || !hasData(part));
}

const MODIFIERS: ReadonlySet<string> = new Set(["thought", "thoughtSignature", "partMetadata"]);

function hasData(part: Part): boolean {
  return Object.keys(part).some((key) => !MODIFIERS.has(key));
}

function isSaid(part: Part): boolean {
  return part.thought !== true && part.text !== "";
}

/** @throws ProviderFailure when a reply without a word ended in a refusal or in an error of the model. */
function assertHarmless({ unified, raw }: FinishReason, context: FailureContext): void {
  if (unified === "content_filter") {
    throw providerFailure("content_refused", context, `the answer was blocked, ${raw}`);
  }
  if (unified === "error") throw providerFailure("malformed_reply", context, `the model stopped with ${raw}`);
}

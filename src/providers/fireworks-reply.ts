/** The deltas of a streamed chat completion put together to one reply. */
import { fireworks } from "../core/dialects/fireworks/index.js";
import { asChatMessage, type ChatMessage, type ChatToolCall } from "../core/dialects/fireworks/wire.js";
import type { NativeMessage } from "../core/envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { type FailureContext, providerFailure } from "./failure.js";
import type { ModelCallHooks, ModelReply } from "./provider.js";

/** Where servers put their reasoning: Fireworks and most, and newer vLLM. It goes back under the name it came with. */
const REASONING_FIELDS = ["reasoning_content", "reasoning"] as const;

interface CallInProgress {
  readonly index: number;
  readonly id: string;
  readonly type: string;
  readonly name: string;
  /** Arguments as text, or a custom tool's input. */
  readonly text: string;
}

export class FireworksReply {
  readonly #hooks: ModelCallHooks;
  /** Calls made before in the conversation: their number makes an id for a call that came without one. */
  readonly #earlierCalls: number;
  #text = "";
  #refusal = "";
  #reasoning = "";
  #reasoningField: (typeof REASONING_FIELDS)[number] | undefined;
  #calls: readonly CallInProgress[] = [];
  #finish: string | undefined;
  /** More of the answer came behind a finish reason: from this server it says nothing. */
  #wentOn = false;
  #usage: JsonValue = null;
  #model: string | undefined;

  constructor(history: readonly NativeMessage[], hooks: ModelCallHooks) {
    this.#hooks = hooks;
    this.#earlierCalls = history.reduce(
      (count, message) => count + (asChatMessage(message)?.tool_calls?.length ?? 0),
      0,
    );
  }

  /** Whether the server has said that nothing more of the answer comes; an empty word does not. */
  get isWhole(): boolean {
    return Boolean(this.#finish) && !this.#wentOn;
  }

  /** @throws ProviderFailure for a chunk that is none. */
  add(chunk: unknown, context: FailureContext): void {
    if (!isJsonObject(chunk)) throw providerFailure("malformed_reply", context, "a chunk is not an object");
    const { choices, usage, model } = chunk;
    if (isJsonObject(usage)) this.#usage = usage;
    if (typeof model === "string" && model !== "") this.#model = model;
    const choice: JsonValue | undefined = Array.isArray(choices) ? choices[0] : undefined;
    if (!isJsonObject(choice)) return;
    if (isJsonObject(choice.delta)) {
      if (this.isWhole && saysMore(choice.delta)) this.#wentOn = true;
      this.#addDelta(choice.delta);
    }
    if (typeof choice.finish_reason === "string") this.#finish = choice.finish_reason;
  }

  /** @throws ProviderFailure when the stream has no end, or the content filter let nothing through. */
  end(context: FailureContext): ModelReply {
    if (this.#finish === undefined) {
      throw providerFailure("stream_cut", context, "the stream ended without a finish reason");
    }
    const finish = fireworks.finishReason(this.#finish);
    if (finish.unified === "length" || finish.unified === "content_filter") this.#dropCutCall();
    const said = this.#text + this.#refusal !== "" || this.#calls.length > 0;
    if (!said && finish.unified === "content_filter") {
      throw providerFailure("content_refused", context, "the answer was blocked by the content filter");
    }
    return {
      messages: [this.#message()],
      usage: fireworks.usage(this.#usage),
      raw_usage: this.#usage,
      finish_reason: finish,
      model: this.#model ?? context.model,
    };
  }

  /** Content is a string, also an empty one; null only beside calls. Half characters are left only if never completed. */
  #message(): ChatMessage {
    const calls = this.#calls.map((call, position) => this.#finishedCall(call, position));
    const reasoning = this.#reasoning.toWellFormed();
    return {
      role: "assistant",
      content: this.#text === "" && calls.length > 0 ? null : this.#text.toWellFormed(),
      ...(this.#reasoningField === undefined ? {} : { [this.#reasoningField]: reasoning }),
      ...(this.#refusal === "" ? {} : { refusal: this.#refusal.toWellFormed() }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
  }

  #finishedCall({ id, type, name, text }: CallInProgress, position: number): ChatToolCall {
    const known = id === "" ? `call_${this.#earlierCalls + position}` : id;
    if (type === "custom") return { id: known, type, custom: { name, input: text } };
    // A call without arguments may come as an empty text, which is no JSON: servers refuse it when it comes back.
    return { id: known, type: "function", function: { name, arguments: text.toWellFormed() || "{}" } };
  }

  /** The call that the model was writing when it was stopped: what is no JSON cannot be run, and breaks chat templates. */
  #dropCutCall(): void {
    const last = this.#calls.at(-1);
    if (last?.type === "function" && !isJson(last.text)) this.#calls = this.#calls.slice(0, -1);
  }

  #addDelta(delta: JsonObject): void {
    const reasoning = this.#reasoningOf(delta);
    if (reasoning !== "") {
      this.#reasoning += reasoning;
      this.#hooks.onReasoning(reasoning);
    }
    const text = textIn(delta, "content") + textIn(delta, "refusal");
    this.#text += textIn(delta, "content");
    this.#refusal += textIn(delta, "refusal");
    if (text !== "") this.#hooks.onText(text);
    if (!Array.isArray(delta.tool_calls)) return;
    for (const [position, call] of delta.tool_calls.entries()) {
      if (isJsonObject(call)) this.#calls = withCallDelta(this.#calls, call, position);
    }
  }

  /** Some servers send the same reasoning under both names: the first one used is kept to. */
  #reasoningOf(delta: JsonObject): string {
    this.#reasoningField ??= REASONING_FIELDS.find((field) => textIn(delta, field) !== "");
    return this.#reasoningField === undefined ? "" : textIn(delta, this.#reasoningField);
  }
}

function saysMore(delta: JsonObject): boolean {
  const texts = ["content", "refusal", ...REASONING_FIELDS].some((field) => textIn(delta, field) !== "");
  return texts || (Array.isArray(delta.tool_calls) && delta.tool_calls.length > 0);
}

/** Deltas of one call share its index; some servers give every whole call the index 0 and an id of its own. */
function withCallDelta(
  calls: readonly CallInProgress[],
  delta: JsonObject,
  position: number,
): readonly CallInProgress[] {
  const index = typeof delta.index === "number" ? delta.index : position;
  const id = textIn(delta, "id");
  const type = textIn(delta, "type");
  const called = isJsonObject(delta.custom) ? delta.custom : delta.function;
  const name = isJsonObject(called) ? textIn(called, "name") : "";
  const text = isJsonObject(called) ? textIn(called, "arguments") + textIn(called, "input") : "";
  const at = calls.findLastIndex((call) => call.index === index);
  const current = calls[at];
  if (current === undefined || (id !== "" && current.id !== "" && id !== current.id)) {
    return [...calls, { index, id, type: type || "function", name, text }];
  }
  return calls.with(at, {
    index,
    id: current.id || id,
    type: type || current.type,
    name: current.name || name,
    text: current.text + text,
  });
}

function textIn(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === "string" ? value : "";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

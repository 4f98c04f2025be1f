/** Anthropic's Messages over the official SDK. */
// By its CommonJS build, which is loaded in half of the time (decision 0033).
import { Anthropic } from "@anthropic-ai/sdk/index.js";
import { anthropic } from "../core/dialects/anthropic/index.js";
import type { JsonObject, JsonValue } from "../core/json.js";
import { resendableMessages } from "./anthropic-reply.js";
import { anthropicRequest, withoutEarlierThinking, withoutForeignThinking } from "./anthropic-request.js";
import {
  type Call,
  classifiedProvider,
  leavingOutForeign,
  retryingStaleReasoning,
} from "./classified-call.js";
import { eventsOf } from "./event-stream.js";
import { type FailureContext, providerFailure } from "./failure.js";
import { patientFetch } from "./patient-fetch.js";
import type {
  ModelCallHooks,
  ModelProvider,
  ModelReply,
  ModelRequest,
  ProviderEndpoint,
} from "./provider.js";
import { SDK_TIMEOUT_MS } from "./sdk-timeout.js";

type Stream = ReturnType<Anthropic["messages"]["stream"]>;

const BASE_URL = "https://api.anthropic.com";

export function createAnthropicProvider(endpoint: ProviderEndpoint): ModelProvider {
  const client = new Anthropic({
    apiKey: endpoint.apiKey ?? null,
    authToken: null,
    baseURL: endpoint.baseUrl ?? BASE_URL,
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    logLevel: "off",
    fetch: patientFetch,
  });
  const call: Call = (request, hooks, context) => callOnce(client, request, hooks, context);
  return classifiedProvider(
    "anthropic",
    endpoint,
    leavingOutForeign(retryingStaleReasoning(call, withoutEarlierThinking), withoutForeignThinking),
  );
}

async function callOnce(
  client: Anthropic,
  request: ModelRequest,
  hooks: ModelCallHooks,
  context: FailureContext,
): Promise<ModelReply> {
  const stream = client.messages.stream(anthropicRequest(request), { signal: hooks.signal });
  const events = eventsIn(stream);
  const { response } = await stream.withResponse();
  const relay = deltaRelay(hooks);
  let hasStopped = false;
  let unended: Anthropic.Message | undefined;
  const close = (): void => {
    unended = stream.currentMessage;
    stream.abort();
  };
  const end = { hasCome: () => hasStopped, close };
  for await (const event of eventsOf(events, response, { ...context, end })) {
    relay(event);
    hasStopped ||= event.type === "message_delta" && typeof event.delta.stop_reason === "string";
  }
  const message = unended ?? (await stream.finalMessage());
  const reply = toReply(message);
  if (reply.messages.length > 0 || message.stop_reason !== "refusal") return reply;
  const details = message.stop_details;
  throw providerFailure(
    "content_refused",
    context,
    details?.explanation ?? details?.category ?? "no reason given",
  );
}

/** The events from now on: the SDK keeps none for who listens later. */
function eventsIn(stream: Stream): AsyncIterable<Anthropic.MessageStreamEvent> {
  const iterator = stream[Symbol.asyncIterator]();
  return untilDone(stream, { [Symbol.asyncIterator]: () => iterator });
}

async function* untilDone<T>(stream: Stream, events: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  yield* events;
  // The events end without a word where the stream has failed while nobody waited for the next of them.
  await stream.done();
}

/** Hands deltas on, with a line break between texts that something else has parted, as the dialect reads them. */
function deltaRelay(hooks: ModelCallHooks): (event: Anthropic.MessageStreamEvent) => void {
  let hasText = false;
  let isParted = false;
  return (event) => {
    if (event.type === "content_block_start") isParted ||= event.content_block.type !== "text";
    if (event.type !== "content_block_delta") return;
    if (event.delta.type === "thinking_delta") hooks.onReasoning(event.delta.thinking);
    if (event.delta.type !== "text_delta" || event.delta.text === "") return;
    hooks.onText(hasText && isParted ? `\n${event.delta.text}` : event.delta.text);
    hasText = true;
    isParted = false;
  };
}

function toReply(message: Anthropic.Message): ModelReply {
  const content = plainJson(message.content) as readonly JsonObject[];
  const raw_usage = plainJson(message.usage);
  return {
    messages: resendableMessages(content, message.stop_reason),
    usage: anthropic.usage(raw_usage),
    raw_usage,
    finish_reason: anthropic.finishReason(message.stop_reason),
    model: message.model,
  };
}

/** The SDK's objects carry hidden properties and getters; a history holds data only. */
function plainJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

/** OpenAI's Responses over the official SDK. */
// By its CommonJS build, which is loaded in two thirds of the time (decision 0033).
import { OpenAI } from "openai/index.js";
import { openai } from "../core/dialects/openai/index.js";
import type { FinishReason, NativeMessage } from "../core/envelope/envelope.js";
import type { JsonObject, JsonValue } from "../core/json.js";
import {
  type Call,
  classifiedProvider,
  leavingOutForeign,
  retryingStaleReasoning,
} from "./classified-call.js";
import { eventsOf } from "./event-stream.js";
import { type FailureContext, providerFailure } from "./failure.js";
import { resendableItems } from "./openai-reply.js";
import { openaiRequest, withoutForeignReasoning, withoutReasoning } from "./openai-request.js";
import { patientFetch } from "./patient-fetch.js";
import type {
  ModelCallHooks,
  ModelProvider,
  ModelReply,
  ModelRequest,
  ProviderEndpoint,
} from "./provider.js";
import { SDK_TIMEOUT_MS } from "./sdk-timeout.js";

const BASE_URL = "https://api.openai.com/v1";

type Response = OpenAI.Responses.Response;
type StreamEvent = OpenAI.Responses.ResponseStreamEvent;

export function createOpenAIProvider(endpoint: ProviderEndpoint): ModelProvider {
  const client = new OpenAI({
    apiKey: endpoint.apiKey ?? "",
    baseURL: endpoint.baseUrl ?? BASE_URL,
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    logLevel: "off",
    fetch: patientFetch,
  });
  const call: Call = (request, hooks, context) => callOnce(client, request, hooks, context);
  return classifiedProvider(
    "openai",
    endpoint,
    leavingOutForeign(retryingStaleReasoning(call, withoutReasoning), withoutForeignReasoning),
  );
}

async function callOnce(
  client: OpenAI,
  request: ModelRequest,
  hooks: ModelCallHooks,
  context: FailureContext,
): Promise<ModelReply> {
  const { signal } = hooks;
  const { data, response } = await client.responses.create(openaiRequest(request), { signal }).withResponse();
  const relay = deltaRelay(hooks);
  const items: OpenAI.Responses.ResponseOutputItem[] = [];
  let last: Response | undefined;
  const end = { hasCome: () => last !== undefined, close: () => data.controller.abort() };
  for await (const event of eventsOf(data, response, { ...context, end })) {
    relay(event);
    if (event.type === "response.output_item.done") items[event.output_index] = event.item;
    if (event.type === "error" || event.type === "response.failed") throw failedResponse(event);
    // Reading goes on to the end, for leaving the stream early would destroy its socket.
    if (event.type === "response.completed" || event.type === "response.incomplete") last = event.response;
  }
  if (last !== undefined) return answered(toReply(last, items.filter(Boolean)), context);
  // The SDK ends a stream without a word when it is aborted.
  signal.throwIfAborted();
  throw providerFailure("stream_cut", context, "the stream ended before its last event");
}

/** A filter that let something through has cut an answer short; one that let nothing through has refused the question. */
function answered(reply: ModelReply, context: FailureContext): ModelReply {
  if (reply.messages.length > 0 || reply.finish_reason.unified !== "content_filter") return reply;
  throw providerFailure("content_refused", context, "the content filter let nothing through");
}

function failedResponse(event: StreamEvent & { readonly type: "error" | "response.failed" }): Error {
  const error = event.type === "error" ? event : event.response.error;
  return Object.assign(new Error("The response failed."), { error });
}

/** Hands deltas on, with a line break between two messages, as the dialect reads them. */
function deltaRelay(hooks: ModelCallHooks): (event: StreamEvent) => void {
  let message = -1;
  let summary = "";
  return (event) => {
    if (event.type === "response.output_text.delta" || event.type === "response.refusal.delta") {
      if (event.delta === "") return;
      hooks.onText(message === -1 || message === event.output_index ? event.delta : `\n${event.delta}`);
      message = event.output_index;
    } else if (event.type === "response.reasoning_summary_text.delta") {
      const part = `${event.output_index}.${event.summary_index}`;
      hooks.onReasoning(summary === "" || summary === part ? event.delta : `\n\n${event.delta}`);
      summary = part;
    } else if (event.type === "response.reasoning_text.delta") hooks.onReasoning(event.delta);
  };
}

/** Items are taken as their own last events had them: the final event may hold less. */
function toReply(response: Response, items: readonly OpenAI.Responses.ResponseOutputItem[]): ModelReply {
  const output = items.length >= response.output.length ? items : response.output;
  const messages = resendableItems(plainJson(output) as readonly JsonObject[]);
  const raw_usage = plainJson(response.usage ?? null);
  return {
    messages,
    usage: openai.usage(raw_usage),
    raw_usage,
    finish_reason: finishReasonOf(response, messages),
    model: response.model,
  };
}

/** A response that calls tools or refuses also says `completed`: what it holds tells them apart. */
function finishReasonOf(response: Response, messages: readonly NativeMessage[]): FinishReason {
  const raw = response.status === "incomplete" ? response.incomplete_details?.reason : response.status;
  const reason = openai.finishReason(raw ?? response.status);
  if (reason.unified !== "stop") return reason;
  if (openai.openToolCalls(messages).length > 0) return { ...reason, unified: "tool_calls" };
  const refused = response.output.some(
    (item) => item.type === "message" && item.content.some(({ type }) => type === "refusal"),
  );
  return refused ? { ...reason, unified: "content_filter" } : reason;
}

/** Plain data, and undefined fields gone. */
function plainJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

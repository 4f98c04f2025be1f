/** A reply as Chat Completions answers without streaming. */
import type { JsonObject } from "../../core/json.js";
import { objectsIn } from "../request-facts.js";
import type { SimulatedReply, SimulatedToolCall } from "../simulated-reply.js";
import { callsIn } from "./facts.js";

export function replyBody(reply: SimulatedReply, request: JsonObject): JsonObject {
  const calls = toolCalls(reply, request);
  const message = {
    role: "assistant",
    content: reply.text === "" && calls.length > 0 ? null : reply.text,
    ...(reply.reasoning === "" ? {} : { reasoning_content: reply.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    ...completionHead(reply, "chat.completion"),
    choices: [{ index: 0, message, finish_reason: finishReason(reply), logprobs: null }],
    usage: usageOf(reply),
  };
}

export function completionHead(reply: SimulatedReply, object: string): JsonObject {
  return {
    id: `chatcmpl-sim${reply.seed}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model: reply.model,
  };
}

export function finishReason(reply: SimulatedReply): string {
  return reply.rawFinish ?? reply.finish;
}

export function usageOf({ usage }: SimulatedReply): JsonObject {
  return {
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: usage.input_tokens + usage.output_tokens,
    prompt_tokens_details: { cached_tokens: usage.cache_read_tokens },
    ...(usage.reasoning_tokens === 0
      ? {}
      : { completion_tokens_details: { reasoning_tokens: usage.reasoning_tokens } }),
  };
}

export function toolCalls(reply: SimulatedReply, request: JsonObject): readonly JsonObject[] {
  const earlier = callsIn(objectsIn(request.messages)).length;
  return reply.toolCalls.map((call, index) => ({
    id: callId(reply.model, call, index, earlier),
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
}

/** Kimi models have ids of their own form: K2 counts over the conversation, K3 anew in each turn. */
function callId(model: string, call: SimulatedToolCall, index: number, earlier: number): string {
  if (call.scriptedId) return call.id;
  if (/kimi-k2/.test(model)) return `functions.${call.name}:${earlier + index}`;
  if (/kimi-k3/.test(model)) return `${call.name}:${index}`;
  return `call_${call.id}`;
}

/** A reply as the Messages API answers without streaming. */
import { isJsonObject, type JsonObject } from "../../core/json.js";
import type { ReplyFinish, SimulatedReply, SimulatedToolCall } from "../simulated-reply.js";
import { signatureOf } from "./signature.js";

const STOP_REASONS: Readonly<Record<ReplyFinish, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

export function replyBody(reply: SimulatedReply, request: JsonObject): JsonObject {
  return {
    ...messageHead(reply),
    content: contentOf(reply, shownThinking(reply, request)),
    stop_reason: stopReason(reply),
    stop_details: stopDetails(reply),
    usage: usageOf(reply, reply.usage.output_tokens),
  };
}

/** The message before its content: what `message_start` carries. */
export function messageHead(reply: SimulatedReply): JsonObject {
  return {
    id: `msg_01${reply.seed}`,
    type: "message",
    role: "assistant",
    model: reply.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: usageOf(reply, 1),
  };
}

export function stopReason(reply: SimulatedReply): string {
  return reply.rawFinish ?? STOP_REASONS[reply.finish];
}

export function stopDetails(reply: SimulatedReply): JsonObject | null {
  return reply.finish === "content_filter" ? { type: "refusal", category: null, explanation: null } : null;
}

export function toolUseBlock(call: SimulatedToolCall, input: JsonObject): JsonObject {
  const id = call.scriptedId ? call.id : `toolu_01${call.id}`;
  return { type: "tool_use", id, name: call.name, input, caller: { type: "direct" } };
}

export function usageOf({ usage }: SimulatedReply, outputTokens: number): JsonObject {
  const { cache_read_tokens: read, cache_write_tokens: written } = usage;
  return {
    // The vendor counts what the cache read and took in beside the input, not as parts of it.
    input_tokens: Math.max(0, usage.input_tokens - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: usage.reasoning_tokens },
    server_tool_use: null,
    service_tier: "standard",
    inference_geo: null,
  };
}

/** The reasoning as the request wants to see it: its signature alone, where the display is omitted. */
export function shownThinking({ reasoning }: SimulatedReply, { thinking }: JsonObject): string {
  return isJsonObject(thinking) && thinking.display === "omitted" ? "" : reasoning;
}

function contentOf(reply: SimulatedReply, thinking: string): readonly JsonObject[] {
  const { model, reasoning, text, toolCalls } = reply;
  return [
    ...(reasoning === "" ? [] : [{ type: "thinking", thinking, signature: signatureOf(reasoning, model) }]),
    ...(text === "" ? [] : [{ type: "text", text, citations: null }]),
    ...toolCalls.map((call) => toolUseBlock(call, call.arguments)),
  ];
}

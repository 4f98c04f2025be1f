/** A reply as the Responses API answers without streaming. */
import { isJsonObject, type JsonObject } from "../../core/json.js";
import type { SimulatedReply } from "../simulated-reply.js";
import { includes } from "./items.js";
import { openaiModel } from "./models.js";
import { encryptReasoning, itemId, reasoningId } from "./opaque.js";

export type ResponseStatus = "in_progress" | "completed" | "incomplete" | "failed";

export function replyBody(reply: SimulatedReply, request: JsonObject): JsonObject {
  return responseObject(reply, request, finalStatus(reply), outputOf(reply, request));
}

export function finalStatus(reply: SimulatedReply): ResponseStatus {
  if (reply.rawFinish === "failed") return "failed";
  if (reply.rawFinish !== undefined) return reply.rawFinish === "completed" ? "completed" : "incomplete";
  return reply.finish === "length" || reply.finish === "content_filter" ? "incomplete" : "completed";
}

export function responseObject(
  reply: SimulatedReply,
  request: JsonObject,
  status: ResponseStatus,
  output: readonly JsonObject[],
): JsonObject {
  const ended = status !== "in_progress";
  return {
    id: `resp_sim${reply.seed}`,
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    status,
    background: false,
    error: status === "failed" ? { code: "server_error", message: "The simulated response failed." } : null,
    incomplete_details: status === "incomplete" ? { reason: incompleteReason(reply) } : null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    model: reply.model,
    output,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: isJsonObject(request.reasoning) ? request.reasoning : { effort: null, summary: null },
    service_tier: "default",
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: request.text ?? { format: { type: "text" } },
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? "disabled",
    usage: ended ? usageOf(reply) : null,
  };
}

function incompleteReason(reply: SimulatedReply): string {
  return reply.rawFinish ?? (reply.finish === "length" ? "max_output_tokens" : "content_filter");
}

function usageOf({ usage }: SimulatedReply): JsonObject {
  return {
    input_tokens: usage.input_tokens,
    input_tokens_details: {
      cached_tokens: usage.cache_read_tokens,
      cache_write_tokens: usage.cache_write_tokens,
    },
    output_tokens: usage.output_tokens,
    output_tokens_details: { reasoning_tokens: usage.reasoning_tokens },
    total_tokens: usage.input_tokens + usage.output_tokens,
  };
}

/** The items in the order in which the model makes them. */
export function outputOf(reply: SimulatedReply, request: JsonObject): readonly JsonObject[] {
  const reasoning = reasoningItem(reply, request);
  const reasoned = reasoning.length > 0;
  return [...reasoning, ...messageItem(reply, reasoned), ...callItems(reply, reasoned)];
}

/** A reasoning model also gives an item without a summary when its encrypted content is asked for. */
function reasoningItem(reply: SimulatedReply, request: JsonObject): readonly JsonObject[] {
  const encrypted = includes(request, "reasoning.encrypted_content");
  const silent = encrypted && openaiModel(String(request.model))?.reasoning === true;
  if (reply.reasoning === "" && !silent) return [];
  const text = reply.reasoning;
  return [
    {
      id: reasoningId(reply.seed),
      type: "reasoning",
      summary: text === "" ? [] : [{ type: "summary_text", text }],
      ...(encrypted ? { encrypted_content: encryptReasoning(reply.seed, text) } : {}),
    },
  ];
}

function messageItem(reply: SimulatedReply, reasoned: boolean): readonly JsonObject[] {
  if (reply.text === "") return [];
  const phase = reply.toolCalls.length > 0 ? "commentary" : "final_answer";
  return [
    {
      id: itemId("msg", reply.seed, reasoned),
      type: "message",
      status: reply.finish === "length" ? "incomplete" : "completed",
      role: "assistant",
      content: [{ type: "output_text", annotations: [], logprobs: [], text: reply.text }],
      ...(openaiModel(reply.model)?.phases ? { phase } : {}),
    },
  ];
}

function callItems(reply: SimulatedReply, reasoned: boolean): readonly JsonObject[] {
  return reply.toolCalls.map((call, index) => ({
    id: `${itemId("fc", reply.seed, reasoned)}${index}`,
    type: "function_call",
    status: "completed",
    arguments: JSON.stringify(call.arguments),
    call_id: call.scriptedId ? call.id : `call_${call.id}`,
    name: call.name,
  }));
}

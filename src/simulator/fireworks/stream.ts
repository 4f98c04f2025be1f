/** A reply as Chat Completions streams it. */
import { isJsonObject, type JsonObject } from "../../core/json.js";
import { chunksOf } from "../chunks.js";
import type { SimulatedReply } from "../simulated-reply.js";
import type { WireEvent } from "../wire.js";
import { completionHead, finishReason, toolCalls, usageOf } from "./reply.js";

/** `usageAlways`: Fireworks states the usage in the last chunk also where the request did not ask for it. */
export function replyEvents(
  reply: SimulatedReply,
  request: JsonObject,
  chunkSize: number,
  usageAlways: boolean,
): readonly WireEvent[] {
  const head = completionHead(reply, "chat.completion.chunk");
  const chunk = (delta: JsonObject, finish: string | null, more: JsonObject = {}): JsonObject => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
  const asked = isJsonObject(request.stream_options) && request.stream_options.include_usage === true;
  const usage = usageOf(reply);
  return [
    event(chunk({ role: "assistant" }, null)),
    ...chunksOf(reply.reasoning, chunkSize).map((text) =>
      event(chunk({ reasoning_content: text }, null), true),
    ),
    ...chunksOf(reply.text, chunkSize).map((text) => event(chunk({ content: text }, null), true)),
    ...toolCalls(reply, request)
      .flatMap((call, index) => callDeltas(call, index, chunkSize))
      .map((delta) => event(chunk(delta, null), true)),
    { ...event(chunk({}, finishReason(reply), usageAlways && !asked ? { usage } : {})), finish: true },
    ...(asked ? [event({ ...head, choices: [], usage })] : []),
    { frame: "data: [DONE]\n\n", chunk: false },
  ];
}

function callDeltas(call: JsonObject, index: number, size: number): readonly JsonObject[] {
  const called = isJsonObject(call.function) ? call.function : {};
  const opening = { index, id: call.id, type: "function", function: { name: called.name, arguments: "" } };
  const pieces = chunksOf(String(called.arguments), size);
  return [
    { tool_calls: [opening] },
    ...pieces.map((text) => ({ tool_calls: [{ index, function: { arguments: text } }] })),
  ];
}

function event(data: JsonObject, chunk = false): WireEvent {
  return { frame: `data: ${JSON.stringify(data)}\n\n`, chunk };
}

/** A reply as the Responses API streams it. */
import type { JsonObject } from "../../core/json.js";
import { chunksOf } from "../chunks.js";
import { objectsIn } from "../request-facts.js";
import type { SimulatedReply } from "../simulated-reply.js";
import type { WireEvent } from "../wire.js";
import { finalStatus, outputOf, responseObject } from "./reply.js";

interface StreamEvent {
  readonly type: string;
  readonly data: JsonObject;
  readonly chunk?: boolean;
}

export function replyEvents(
  reply: SimulatedReply,
  request: JsonObject,
  chunkSize: number,
): readonly WireEvent[] {
  const output = outputOf(reply, request);
  const started = responseObject(reply, request, "in_progress", []);
  const status = finalStatus(reply);
  const events: readonly StreamEvent[] = [
    { type: "response.created", data: { response: started } },
    { type: "response.in_progress", data: { response: started } },
    ...output.flatMap((item, index) => itemEvents(item, index, chunkSize)),
    { type: `response.${status}`, data: { response: responseObject(reply, request, status, output) } },
  ];
  return events.map(({ type, data, chunk = false }, sequence) => ({
    frame: `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...data })}\n\n`,
    chunk,
    ...(sequence === events.length - 1 ? { finish: true } : {}),
  }));
}

function itemEvents(item: JsonObject, index: number, size: number): readonly StreamEvent[] {
  const place = { output_index: index, item_id: item.id };
  return [
    { type: "response.output_item.added", data: { output_index: index, item: startedItem(item) } },
    ...contentEvents(item, place, size),
    { type: "response.output_item.done", data: { output_index: index, item } },
  ];
}

/** The item as it is announced: known, but empty. */
function startedItem(item: JsonObject): JsonObject {
  switch (item.type) {
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    default:
      return { ...item, summary: [] };
  }
}

function contentEvents(item: JsonObject, place: JsonObject, size: number): readonly StreamEvent[] {
  switch (item.type) {
    case "message":
      return objectsIn(item.content).flatMap((part, index) =>
        textEvents(part, { ...place, content_index: index }, size),
      );
    case "function_call":
      return argumentEvents(item, place, size);
    default:
      return objectsIn(item.summary).flatMap((part, index) =>
        summaryEvents(part, { ...place, summary_index: index }, size),
      );
  }
}

function textEvents(part: JsonObject, place: JsonObject, size: number): readonly StreamEvent[] {
  const text = String(part.text);
  return [
    { type: "response.content_part.added", data: { ...place, part: { ...part, text: "" } } },
    ...deltas("response.output_text.delta", { ...place, logprobs: [] }, text, size),
    { type: "response.output_text.done", data: { ...place, text, logprobs: [] } },
    { type: "response.content_part.done", data: { ...place, part } },
  ];
}

function summaryEvents(part: JsonObject, place: JsonObject, size: number): readonly StreamEvent[] {
  const text = String(part.text);
  return [
    { type: "response.reasoning_summary_part.added", data: { ...place, part: { ...part, text: "" } } },
    ...deltas("response.reasoning_summary_text.delta", place, text, size),
    { type: "response.reasoning_summary_text.done", data: { ...place, text } },
    { type: "response.reasoning_summary_part.done", data: { ...place, part } },
  ];
}

function argumentEvents(item: JsonObject, place: JsonObject, size: number): readonly StreamEvent[] {
  const text = String(item.arguments);
  return [
    ...deltas("response.function_call_arguments.delta", place, text, size),
    { type: "response.function_call_arguments.done", data: { ...place, name: item.name, arguments: text } },
  ];
}

function deltas(type: string, place: JsonObject, text: string, size: number): readonly StreamEvent[] {
  return chunksOf(text, size).map((delta) => ({ type, data: { ...place, delta }, chunk: true }));
}

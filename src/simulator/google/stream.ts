/** A reply as streamGenerateContent sends it: every event a whole response with a part of the content. */
import type { JsonObject } from "../../core/json.js";
import { chunksOf } from "../chunks.js";
import type { SimulatedReply } from "../simulated-reply.js";
import type { WireEvent } from "../wire.js";
import { callParts, finishReason, responseWith, signatureFor } from "./reply.js";

export function replyEvents(reply: SimulatedReply, chunkSize: number): readonly WireEvent[] {
  const pieces: readonly JsonObject[] = [
    ...chunksOf(reply.reasoning, chunkSize).map((text) => ({ text, thought: true })),
    ...chunksOf(reply.text, chunkSize).map((text) => ({ text })),
    ...callParts(reply),
  ];
  return [
    ...pieces.map((part) => event(responseWith(reply, [part], undefined), true)),
    { ...event(responseWith(reply, [closingPart(reply)], finishReason(reply)), false), finish: true },
  ];
}

/** The signature of a streamed text comes last, on a part whose text is empty. */
function closingPart(reply: SimulatedReply): JsonObject {
  const signature = reply.toolCalls.length === 0 ? signatureFor(reply) : undefined;
  return signature === undefined ? { text: "" } : { text: "", thoughtSignature: signature };
}

function event(data: JsonObject, chunk: boolean): WireEvent {
  return { frame: `data: ${JSON.stringify(data)}\r\n\r\n`, chunk };
}

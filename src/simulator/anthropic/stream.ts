/** A reply as the Messages API streams it. */
import type { JsonObject } from "../../core/json.js";
import { chunksOf } from "../chunks.js";
import type { SimulatedReply } from "../simulated-reply.js";
import type { WireEvent } from "../wire.js";
import { messageHead, shownThinking, stopDetails, stopReason, toolUseBlock, usageOf } from "./reply.js";
import { signatureOf } from "./signature.js";

export function replyEvents(
  reply: SimulatedReply,
  request: JsonObject,
  chunkSize: number,
): readonly WireEvent[] {
  const blocks = [
    ...thinkingBlock(reply, shownThinking(reply, request), chunkSize),
    ...textBlock(reply, chunkSize),
    ...toolBlocks(reply, chunkSize),
  ];
  return [
    event({ type: "message_start", message: messageHead(reply) }),
    event({ type: "ping" }),
    ...blocks.flatMap((block, index) => blockEvents(block, index)),
    { ...event(messageDelta(reply)), finish: true },
    event({ type: "message_stop" }),
  ];
}

function messageDelta(reply: SimulatedReply): JsonObject & { readonly type: string } {
  const delta = {
    stop_reason: stopReason(reply),
    stop_sequence: null,
    stop_details: stopDetails(reply),
    container: null,
  };
  return { type: "message_delta", delta, usage: usageOf(reply, reply.usage.output_tokens) };
}

interface Block {
  readonly start: JsonObject;
  readonly deltas: readonly JsonObject[];
  /** A delta that is no chunk of text: the signature. */
  readonly closing?: JsonObject;
}

function thinkingBlock({ model, reasoning }: SimulatedReply, shown: string, size: number): readonly Block[] {
  if (reasoning === "") return [];
  return [
    {
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: chunksOf(shown, size).map((thinking) => ({ type: "thinking_delta", thinking })),
      closing: { type: "signature_delta", signature: signatureOf(reasoning, model) },
    },
  ];
}

function textBlock({ text }: SimulatedReply, size: number): readonly Block[] {
  if (text === "") return [];
  return [
    {
      start: { type: "text", text: "", citations: null },
      deltas: chunksOf(text, size).map((piece) => ({ type: "text_delta", text: piece })),
    },
  ];
}

function toolBlocks({ toolCalls }: SimulatedReply, size: number): readonly Block[] {
  return toolCalls.map((call) => ({
    start: toolUseBlock(call, {}),
    deltas: ["", ...chunksOf(JSON.stringify(call.arguments), size)].map((partial) => ({
      type: "input_json_delta",
      partial_json: partial,
    })),
  }));
}

function blockEvents(block: Block, index: number): readonly WireEvent[] {
  return [
    event({ type: "content_block_start", index, content_block: block.start }),
    ...block.deltas.map((delta) => event({ type: "content_block_delta", index, delta }, true)),
    ...(block.closing === undefined
      ? []
      : [event({ type: "content_block_delta", index, delta: block.closing })]),
    event({ type: "content_block_stop", index }),
  ];
}

function event(data: JsonObject & { readonly type: string }, chunk = false): WireEvent {
  return { frame: `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`, chunk };
}

/** A reply as generateContent answers without streaming. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../../core/json.js";
import type { ReplyFinish, SimulatedReply } from "../simulated-reply.js";
import { googleModel } from "./models.js";

const FINISH_REASONS: Readonly<Record<ReplyFinish, string>> = {
  stop: "STOP",
  length: "MAX_TOKENS",
  // Calls of functions have no reason of their own here.
  tool_calls: "STOP",
  content_filter: "SAFETY",
};

export function replyBody(reply: SimulatedReply): JsonObject {
  return responseWith(reply, partsOf(reply), finishReason(reply));
}

export function responseWith(
  reply: SimulatedReply,
  parts: readonly JsonObject[],
  finish: string | undefined,
): JsonObject {
  return {
    candidates: [
      {
        content: { role: "model", parts },
        ...(finish === undefined ? {} : { finishReason: finish }),
        index: 0,
      },
    ],
    usageMetadata: usageOf(reply),
    modelVersion: reply.model,
    responseId: `sim${reply.seed}`,
  };
}

export function finishReason(reply: SimulatedReply): string {
  return reply.rawFinish ?? FINISH_REASONS[reply.finish];
}

/** Where calls are signed, the first call of the reply bears the signature, else its last text. */
export function partsOf(reply: SimulatedReply): readonly JsonObject[] {
  const calls = callParts(reply);
  const signature = signatureFor(reply);
  const text =
    reply.text === ""
      ? []
      : [
          {
            text: reply.text,
            ...(calls.length === 0 && signature !== undefined ? { thoughtSignature: signature } : {}),
          },
        ];
  const thought = reply.reasoning === "" ? [] : [{ text: reply.reasoning, thought: true }];
  return [...thought, ...text, ...calls];
}

export function callParts(reply: SimulatedReply): readonly JsonObject[] {
  const signature = signatureFor(reply);
  return reply.toolCalls.map((call, index) => ({
    functionCall: {
      ...(signature === undefined && !call.scriptedId ? {} : { id: call.id }),
      name: call.name,
      args: call.arguments,
    },
    ...(index === 0 && signature !== undefined ? { thoughtSignature: signature } : {}),
  }));
}

/** Undefined for models that sign nothing. */
export function signatureFor({ model, seed }: SimulatedReply): string | undefined {
  if (googleModel(model)?.signedCalls !== true) return undefined;
  return createHash("sha256").update(`simulated ${seed}`).digest("base64");
}

function usageOf({ usage }: SimulatedReply): JsonObject {
  const cached = usage.cache_read_tokens;
  return {
    promptTokenCount: usage.input_tokens,
    candidatesTokenCount: usage.output_tokens - usage.reasoning_tokens,
    totalTokenCount: usage.input_tokens + usage.output_tokens,
    ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    ...(usage.reasoning_tokens === 0 ? {} : { thoughtsTokenCount: usage.reasoning_tokens }),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: usage.input_tokens }],
  };
}

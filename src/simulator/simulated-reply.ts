/** An answer before a wire gives it its shape. */
import { createHash } from "node:crypto";
import type { Usage } from "../core/envelope/envelope.js";
import type { JsonObject } from "../core/json.js";
import { demonstrate } from "./demonstration.js";
import type { RequestFacts } from "./request-facts.js";
import type { ScriptedReply } from "./script.js";
import { countTextTokens } from "./token-estimate.js";

export type ReplyFinish = "stop" | "length" | "tool_calls" | "content_filter";

export interface SimulatedToolCall {
  /** Letters and digits only; a wire puts its own prefix before it. Or the id a script wants, as it stands. */
  readonly id: string;
  readonly scriptedId: boolean;
  readonly name: string;
  readonly arguments: JsonObject;
}

export interface SimulatedReply {
  /** 24 hex digits that depend on the request alone: the same request gets the same ids. */
  readonly seed: string;
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly SimulatedToolCall[];
  readonly finish: ReplyFinish;
  readonly rawFinish: string | undefined;
  readonly usage: Usage;
}

/** The reply to a request: the scripted one, or the demonstration. */
export function replyTo(facts: RequestFacts, scripted: ScriptedReply | undefined): SimulatedReply {
  const content = scripted ?? demonstrate(facts);
  const seed = seedOf(facts);
  const toolCalls = (content.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `${seed}${index}`,
    scriptedId: call.id !== undefined,
    name: call.name,
    arguments: call.arguments ?? {},
  }));
  const text = content.text ?? "";
  const reasoning = content.reasoning ?? "";
  return {
    seed,
    model: content.model ?? facts.model,
    text,
    reasoning,
    toolCalls,
    finish: content.finishReason ?? (toolCalls.length > 0 ? "tool_calls" : "stop"),
    rawFinish: content.rawFinishReason,
    usage: consistent({ ...usageOf(facts, text, reasoning, toolCalls), ...content.usage }),
  };
}

/** Reasoning and cache reads are parts of the totals, also where a script states only the totals. */
function consistent(usage: Usage): Usage {
  return {
    ...usage,
    reasoning_tokens: Math.min(usage.reasoning_tokens, usage.output_tokens),
    cache_read_tokens: Math.min(usage.cache_read_tokens, usage.input_tokens),
  };
}

/** The position in the conversation makes it differ from the ids of every earlier turn. */
function seedOf(facts: RequestFacts): string {
  const position = [facts.model, facts.messageCount, facts.toolResultCount, facts.lastUserText];
  return createHash("sha256").update(JSON.stringify(position)).digest("hex").slice(0, 24);
}

function usageOf(
  facts: RequestFacts,
  text: string,
  reasoning: string,
  toolCalls: readonly SimulatedToolCall[],
): Usage {
  const written = text + toolCalls.map((call) => call.name + JSON.stringify(call.arguments)).join("");
  const reasoningTokens = reasoning === "" ? 0 : countTextTokens(reasoning);
  return {
    input_tokens: facts.inputTokens,
    output_tokens: Math.max(1, countTextTokens(written)) + reasoningTokens,
    cache_read_tokens: facts.cacheReadTokens,
    cache_write_tokens: facts.cacheWriteTokens,
    reasoning_tokens: reasoningTokens,
  };
}

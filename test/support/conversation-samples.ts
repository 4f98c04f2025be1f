/** States of conversations for tests, made by the same functions as the workflow makes them. */
import { Agent, type AgentSpec } from "../../src/core/agent.js";
import type { CallModelResult } from "../../src/core/conversation/activity-contract.js";
import { type Admitted, admit, isRefused } from "../../src/core/conversation/admit.js";
import type { Submission } from "../../src/core/conversation/messages.js";
import { freshState } from "../../src/core/conversation/restore.js";
import type { ConversationState } from "../../src/core/conversation/state.js";
import { commitTurn, startNextTurn } from "../../src/core/conversation/turn.js";
import type { NativeMessage, Usage } from "../../src/core/envelope/envelope.js";
import { prefixOf } from "../../src/core/envelope/fingerprint.js";
import { extendRoot } from "../../src/core/hash.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";
import { SAMPLE_TIME } from "./envelope-samples.js";

export const ONE_CALL: Usage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
};

export interface FreshOptions {
  readonly agent?: Partial<AgentSpec>;
  /** Path of the checkpoint file; none without it. */
  readonly checkpoint?: string;
}

/** A conversation that has not begun, frozen: a function that changes its input throws. */
export function freshConversation({ agent = {}, checkpoint }: FreshOptions = {}): ConversationState {
  const { spec } = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief." });
  const whole = { ...spec, ...agent };
  return deepFreeze(
    freshState({
      conversationId: "review",
      now: SAMPLE_TIME,
      agent: whole,
      prefix: prefixOf(whole),
      checkpoint:
        checkpoint === undefined ? null : { path: checkpoint, run_count: null, turn_id: null, error: null },
    }),
  );
}

/** The state after an accepted submission. */
export function admitted(
  state: ConversationState,
  turnId: string,
  submission: Partial<Submission> = {},
): Admitted {
  const outcome = admit(
    state,
    { message: `Question of ${turnId}`, ...submission },
    { now: SAMPLE_TIME, turnId },
  );
  if (isRefused(outcome)) throw new Error(outcome.error);
  return deepFreeze(outcome);
}

/** What the model activity answers for the turn that runs. */
export function answerTo(
  state: ConversationState,
  change: Partial<CallModelResult> & { readonly text?: string } = {},
): CallModelResult {
  const { text = "Answer", ...rest } = change;
  const messages: readonly NativeMessage[] = rest.messages ?? [
    { role: "user", content: state.running?.message ?? "" },
    { role: "assistant", content: [{ type: "text", text }] },
  ];
  return {
    messages,
    root: extendRoot(state.head.root, messages),
    model: state.head.model,
    endpoint: "anthropic-messages",
    usage: ONE_CALL,
    raw_usage: { input_tokens: 10, output_tokens: 5 },
    finish_reason: { unified: "stop", raw: "end_turn" },
    attempt: 1,
    provider_calls: 1,
    ...rest,
  };
}

/** The state with a turn accepted and started. */
export function running(
  state: ConversationState,
  turnId: string,
  submission: Partial<Submission> = {},
): ConversationState {
  return deepFreeze(startNextTurn(admitted(state, turnId, submission).state, SAMPLE_TIME));
}

/** The state with one committed turn more. */
export function committed(
  state: ConversationState,
  turnId: string,
  change: Parameters<typeof answerTo>[1] = {},
): ConversationState {
  const started = running(state, turnId);
  return deepFreeze(commitTurn(started, answerTo(started, change), SAMPLE_TIME));
}

/** What `run` resolves to. Its own keys are camelCase; data that can stand in an envelope keeps its snake_case keys. */
import type { MediaUpload, TurnResult } from "../core/conversation/messages.js";
import { answerText } from "../core/dialects/answer-text.js";
import { dialectFor } from "../core/dialects/index.js";
import type {
  ConversionReportEntry,
  FinishReason,
  MediaReportEntry,
  Usage,
} from "../core/envelope/envelope.js";
import type { ProviderName } from "../core/providers.js";
import type { ConversationQueries } from "./conversation-queries.js";

export interface RunResult {
  /** The model's answer. */
  readonly output: string;
  readonly turnId: string;
  readonly provider: ProviderName;
  readonly model: string;
  /** True when the simulator answered in the provider's place. */
  readonly simulated: boolean;
  readonly usage: Usage;
  readonly finishReason: FinishReason | null;
  /** Calls that reached the provider, failed ones included. */
  readonly providerCalls: number;
  /** Calls of tools that were started. */
  readonly toolCalls: number;
  readonly mediaUploads: readonly MediaUpload[];
  /** Where the turn's messages stand in the history. */
  readonly messages: { readonly from: number; readonly to: number };
  /** Digest of the history after the turn, and the attempt whose answer was committed. */
  readonly digest: string;
  readonly attempt: number;
  /** Turns that the agent's send window left out of the request. */
  readonly turnsLeftOut: number;
  /** Faults of the history that were mended in the request only: repeated ids, blank text, calls never answered. At most 20. */
  readonly requestMended: readonly ConversionReportEntry[];
  /** Attachments that the request went without, and uploads that were made anew; told by every turn that it happens in. At most 20. */
  readonly mediaReport: readonly MediaReportEntry[];
}

/** An answer too large for a query is read from the history. */
export async function runResult(result: TurnResult, queries: ConversationQueries): Promise<RunResult> {
  const { from, to } = result.messages;
  const output =
    result.output ??
    answerText(dialectFor(result.provider), await queries.messages({ from, limit: to - from }));
  return {
    output,
    turnId: result.turn_id,
    provider: result.provider,
    model: result.model,
    simulated: result.simulated,
    usage: result.usage,
    finishReason: result.finish_reason,
    providerCalls: result.provider_calls,
    toolCalls: result.tool_calls ?? 0,
    mediaUploads: result.media_uploads,
    messages: result.messages,
    digest: result.digest,
    attempt: result.attempt,
    turnsLeftOut: result.turns_left_out ?? 0,
    requestMended: result.request_mended ?? [],
    mediaReport: result.media_report ?? [],
  };
}

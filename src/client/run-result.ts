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
import { type OutputOption, parseOutput } from "../core/output-schema.js";
import type { ProviderName } from "../core/providers.js";
import type { ConversationQueries } from "./conversation-queries.js";
import { parsedResult } from "./parse-data.js";

export interface RunResult<Data = unknown> {
  /** The model's answer. */
  readonly output: string;
  /** The value of a structured answer. There is no such key where no `output` was asked for. */
  readonly data: Data;
  readonly turnId: string;
  readonly provider: ProviderName;
  readonly model: string;
  /** True when the simulator answered in the provider's place. */
  readonly simulated: boolean;
  readonly usage: Usage;
  /** From the prices of the agent or the worker; absent where they have none of the model. */
  readonly cost?: number;
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

/**
 * An answer too large for a query is read from the history.
 *
 * @throws OutputParseError where the schema by which the answer was asked does not take it.
 */
export async function runResult(
  result: TurnResult,
  queries: ConversationQueries,
  asked?: OutputOption,
): Promise<RunResult> {
  const { from, to } = result.messages;
  const output =
    result.output ??
    answerText(dialectFor(result.provider), await queries.messages({ from, limit: to - from }));
  const committed: Omit<RunResult, "data"> = {
    output,
    turnId: result.turn_id,
    provider: result.provider,
    model: result.model,
    simulated: result.simulated,
    usage: result.usage,
    ...(result.cost === undefined ? {} : { cost: result.cost }),
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
  return parsedResult(withData(committed, result), asked);
}

function withData(committed: Omit<RunResult, "data">, result: TurnResult): RunResult {
  if (result.structured === undefined) return committed as RunResult;
  const data = "output_data" in result ? result.output_data : parseOutput(committed.output)?.value;
  return { ...committed, data };
}

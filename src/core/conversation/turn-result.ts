/** What is told of a committed turn, from the result of its last model call. */
import { dialectFor } from "../dialects/index.js";
import { addUsage } from "../envelope/accounting.js";
import { toldMedia } from "../media/media-report.js";
import { addCost } from "../prices.js";
import type { ProviderName } from "../providers.js";
import type { CallModelInput, CallModelResult } from "./activity-contract.js";
import type { TurnResult } from "./messages.js";
import { structuredPart } from "./views.js";

export function turnResult(
  input: CallModelInput,
  provider: ProviderName,
  result: CallModelResult,
): TurnResult {
  const { before } = input;
  const output = dialectFor(provider).outputText(result.messages);
  const cost = addCost(before?.cost, result.cost);
  return {
    turn_id: input.turn_id,
    output,
    ...structuredPart(result.structured, output),
    messages: { from: before?.from ?? input.root.count, to: result.root.count },
    provider,
    model: result.model,
    simulated: result.simulated ?? false,
    usage: before === undefined ? result.usage : addUsage(before.usage, result.usage),
    ...(cost === undefined ? {} : { cost }),
    finish_reason: result.finish_reason,
    provider_calls: result.provider_calls + (before?.provider_calls ?? 0),
    tool_calls: before?.tool_calls ?? 0,
    media_uploads: [...(before?.media_uploads ?? []), ...(result.media_uploads ?? [])],
    digest: result.root.digest,
    attempt: result.attempt,
    ...(result.turns_left_out === undefined ? {} : { turns_left_out: result.turns_left_out }),
    ...(result.request_mended === undefined ? {} : { request_mended: result.request_mended }),
    ...toldMedia([...(before?.media_report ?? []), ...(result.media_report ?? [])]),
  };
}

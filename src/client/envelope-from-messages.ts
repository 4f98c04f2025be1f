/** A history from elsewhere as an envelope that can be restored under an agent. */
import { type NativeHistory, readNativeHistory, withPlacedSystem } from "../core/dialects/native-history.js";
import type { Envelope } from "../core/envelope/envelope.js";
import { envelopeOfHistory } from "../core/envelope/envelope-of-history.js";
import { UsageError } from "../core/errors/errors.js";
import { DIALECT_NAMES } from "../core/providers.js";
import type { HistoryOptions } from "./conversation-options.js";
import { assertAgent } from "./option-names.js";

/** Under an agent of its own dialect the history was the agent's; under another one nobody knows whose. */
export function envelopeFromMessages(
  list: unknown,
  options: HistoryOptions,
  { conversationId, now }: { readonly conversationId: string; readonly now: string },
): Envelope {
  const read = historyOf(list, options);
  const { agent, dialect } = options;
  if (agent.resolved.dialect !== dialect)
    return envelopeOfHistory(read, { provider: dialect, conversationId, now });
  const { provider, model } = agent.resolved;
  return envelopeOfHistory(withPlacedSystem(read, dialect), { provider, model, conversationId, now });
}

function historyOf(list: unknown, options: HistoryOptions): NativeHistory {
  // Callers without types may leave out any of them.
  const { dialect, agent, system }: Partial<HistoryOptions> = options ?? {};
  if (dialect === undefined || !DIALECT_NAMES.includes(dialect) || agent === undefined) {
    throw new UsageError(
      `A history needs its dialect (${DIALECT_NAMES.join(", ")}) and the agent that goes on: fromMessages(list, { dialect, agent }).`,
    );
  }
  assertAgent(agent);
  const read = readNativeHistory(list, dialect);
  const texts = [system ?? "", read.system ?? ""].filter((text) => text !== "");
  return { ...read, system: texts.length === 0 ? null : texts.join("\n\n") };
}

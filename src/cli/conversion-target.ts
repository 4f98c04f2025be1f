/** What `--to` names: a provider, or one of its models. */
import { atticOf, readAttic } from "../core/dialects/attic.js";
import type { Envelope } from "../core/envelope/envelope.js";
import { UNKNOWN_MODEL } from "../core/envelope/envelope.js";
import { UsageError } from "../core/errors/errors.js";
import { dialectOf, isProviderName, type ProviderName, resolveModel } from "../core/providers.js";

export interface ConversionTarget {
  readonly provider: ProviderName;
  /** As it goes on the wire. */
  readonly model: string;
  /** As an agent has it: it resolves to that provider. */
  readonly name: string;
  /** Nobody has named a model of that provider. */
  readonly guessed: boolean;
}

/** @throws UsageError for what is neither a provider nor a model, or for two models. */
export function conversionTarget(
  to: string,
  model: string | undefined,
  envelope: Envelope,
): ConversionTarget {
  if (!isProviderName(to)) {
    if (model !== undefined)
      throw new UsageError(
        "The model is named twice: give it as --to or, beside a provider's name, as --model.",
      );
    const resolved = resolveModel(to);
    return { provider: resolved.provider, model: resolved.model, name: to, guessed: false };
  }
  const named = model === undefined ? undefined : resolveModel(qualified(to, model)).model;
  const found = named ?? lastModelOf(to, envelope) ?? UNKNOWN_MODEL;
  return { provider: to, model: found, name: `${to}:${found}`, guessed: found === UNKNOWN_MODEL };
}

const qualified = (provider: ProviderName, model: string): string =>
  model.startsWith(`${provider}:`) ? model : `${provider}:${model}`;

/** The model of that provider which the history had last: as it is, on the way, or before it was converted. */
function lastModelOf(provider: ProviderName, envelope: Envelope): string | undefined {
  if (envelope.provider === provider) return envelope.model;
  const served = envelope.metadata.served_models.findLast((entry) => entry.provider === provider);
  const kept = atticOf(readAttic(envelope.attic), dialectOf(provider))?.base.model;
  return served?.model ?? (kept === "" ? undefined : kept);
}

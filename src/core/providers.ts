/** The names of providers and of the dialects they speak, and how a model name resolves to one of them. */
import { didYouMean } from "./did-you-mean.js";
import { UsageError } from "./errors/errors.js";

/** The four wire formats in which a history can be written. */
export const DIALECT_NAMES = ["anthropic", "openai", "google", "fireworks"] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

/** Who serves a model. `compatible` is any OpenAI-compatible server, reached through its own base URL. */
export const PROVIDER_NAMES = ["anthropic", "openai", "google", "fireworks", "compatible"] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

export interface ResolvedModel {
  readonly provider: ProviderName;
  readonly dialect: DialectName;
  /** The name that goes on the wire, without a `provider:` prefix. */
  readonly model: string;
}

const PREFIXES: readonly (readonly [RegExp, ProviderName])[] = [
  [/^claude-/, "anthropic"],
  [/^(gpt-|o\d)/, "openai"],
  [/^gemini-/, "google"],
  [/^accounts\/fireworks\//, "fireworks"],
];

export function isProviderName(value: unknown): value is ProviderName {
  return PROVIDER_NAMES.includes(value as ProviderName);
}

/** The dialect in which a provider's histories are written. */
export function dialectOf(provider: ProviderName): DialectName {
  return provider === "compatible" ? "fireworks" : provider;
}

/**
 * Resolves a model name to the provider that serves it: by its prefix (`claude-`, `gpt-`, `o<digit>`, `gemini-`,
 * `accounts/fireworks/`) or explicitly as `provider:model`.
 *
 * @throws UsageError when neither form fits.
 */
export function resolveModel(name: string): ResolvedModel {
  const colon = name.indexOf(":");
  const explicit = colon > 0 ? name.slice(0, colon) : "";
  if (isProviderName(explicit) && colon < name.length - 1) {
    return { provider: explicit, dialect: dialectOf(explicit), model: name.slice(colon + 1) };
  }
  const provider = PREFIXES.find(([pattern]) => pattern.test(name))?.[1];
  if (provider === undefined) throw unknownModel(name, explicit);
  return { provider, dialect: dialectOf(provider), model: name };
}

function unknownModel(name: string, before: string): UsageError {
  const quoted = JSON.stringify(name.slice(0, 100));
  const word = before === "" ? name : before;
  if (isProviderName(word))
    return new UsageError(
      `${quoted} names a provider and no model: write ${word}:MODEL, with one of its models.`,
    );
  const guess = word.length > 100 ? "" : didYouMean(word, PROVIDER_NAMES);
  return new UsageError(
    `Unknown model ${quoted}${guess || ": no provider serves that name."} Use a name that begins with claude-, gpt-, o<digit>, gemini- or accounts/fireworks/, or write provider:model with one of ${PROVIDER_NAMES.join(", ")}.`,
  );
}

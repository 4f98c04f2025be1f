/** Which providers an environment can call. */
import type { ResolvedModel } from "../core/providers.js";
import { PROVIDER_NAMES, type ProviderName } from "../core/providers.js";
import { PROVIDER_VARIABLES, SIMULATOR_VARIABLE } from "../providers/settings.js";

const isSet = (value: string | undefined): boolean => value !== undefined && value.trim() !== "";

/** The variable that decides whether a provider can be called. A compatible server may need no key, but an address. */
export function decidingVariable(provider: ProviderName): string {
  const { key, baseUrl } = PROVIDER_VARIABLES[provider];
  return provider === "compatible" ? baseUrl : key;
}

/** The deciding variables that are set. */
export function keysFound(env: NodeJS.ProcessEnv): readonly string[] {
  return PROVIDER_NAMES.map(decidingVariable).filter((name) => isSet(env[name]));
}

export const allKeys: readonly string[] = PROVIDER_NAMES.map(decidingVariable);

/** Whether the environment names a simulator, which then answers for all providers. */
export function simulatorOf(env: NodeJS.ProcessEnv): string | undefined {
  const url = env[SIMULATOR_VARIABLE];
  return isSet(url) ? url : undefined;
}

export function canCall({ provider }: Pick<ResolvedModel, "provider">, env: NodeJS.ProcessEnv): boolean {
  return simulatorOf(env) !== undefined || isSet(env[decidingVariable(provider)]);
}

/** Answered by the simulator like any other. */
export const SIMULATED_MODEL = "claude-haiku-4-5";

/** A model of each provider, for examples. */
const EXAMPLES: Readonly<Record<ProviderName, string>> = {
  anthropic: SIMULATED_MODEL,
  openai: "gpt-…",
  google: "gemini-…",
  fireworks: "accounts/fireworks/models/…",
  compatible: "compatible:…",
};

/** An example of a model that can be called here. */
export function modelToTry(env: NodeJS.ProcessEnv): string | undefined {
  const provider = PROVIDER_NAMES.find((name) => canCall({ provider: name }, env));
  return provider === undefined ? undefined : EXAMPLES[provider];
}

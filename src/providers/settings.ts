/** Where the providers are reached and with which keys, read from the environment of the process that calls them. */
import { UsageError } from "../core/errors/errors.js";
import type { ProviderName } from "../core/providers.js";
import { endpointAttachments } from "./endpoint-attachments.js";
import type { ProviderEndpoint } from "./provider.js";

export type ProviderSettings = Readonly<Record<ProviderName, ProviderEndpoint>>;

/** The variables of each provider, as messages name them. */
export const PROVIDER_VARIABLES: Readonly<
  Record<ProviderName, { readonly key: string; readonly baseUrl: string }>
> = {
  anthropic: { key: "ANTHROPIC_API_KEY", baseUrl: "ANTHROPIC_BASE_URL" },
  openai: { key: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" },
  google: { key: "GEMINI_API_KEY", baseUrl: "GEMINI_BASE_URL" },
  fireworks: { key: "FIREWORKS_API_KEY", baseUrl: "FIREWORKS_BASE_URL" },
  compatible: { key: "HOLDFAST_COMPATIBLE_API_KEY", baseUrl: "HOLDFAST_COMPATIBLE_BASE_URL" },
};

/** Names the simulator's address. While it is set, keys and base URLs are ignored and nothing real is called. */
export const SIMULATOR_VARIABLE = "HOLDFAST_SIMULATOR_URL";

/** Where the simulator serves each provider, below its own address. */
const SIMULATED_PATHS: Readonly<Record<ProviderName, string>> = {
  anthropic: "/anthropic",
  openai: "/openai/v1",
  google: "/google",
  fireworks: "/fireworks/inference/v1",
  compatible: "/compatible/v1",
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings that an environment holds. Blank variables count as absent.
 *
 * @throws UsageError for a base URL that is none, and for types of files that are none.
 */
export function providerSettings(environment: Environment): ProviderSettings {
  const simulator = baseUrl(environment, SIMULATOR_VARIABLE);
  const attachments = endpointAttachments(environment);
  const endpoint = (name: ProviderName): ProviderEndpoint => ({
    ...(simulator === undefined ? realEndpoint(environment, name) : simulatedEndpoint(simulator, name)),
    ...(attachments[name]?.length ? { attachments: attachments[name] } : {}),
  });
  return {
    anthropic: endpoint("anthropic"),
    openai: endpoint("openai"),
    google: endpoint("google"),
    fireworks: endpoint("fireworks"),
    compatible: endpoint("compatible"),
  };
}

function simulatedEndpoint(simulator: string, name: ProviderName): ProviderEndpoint {
  return { apiKey: "simulated", baseUrl: `${simulator}${SIMULATED_PATHS[name]}`, simulated: true };
}

function realEndpoint(environment: Environment, name: ProviderName): ProviderEndpoint {
  const variables = PROVIDER_VARIABLES[name];
  return {
    apiKey: present(environment[variables.key]),
    baseUrl: baseUrl(environment, variables.baseUrl),
    simulated: false,
  };
}

function baseUrl(environment: Environment, variable: string): string | undefined {
  const value = present(environment[variable]);
  if (value === undefined) return undefined;
  const protocol = URL.canParse(value) ? new URL(value).protocol : "";
  if (protocol !== "http:" && protocol !== "https:") {
    throw new UsageError(
      `${variable} is not a web address: ${JSON.stringify(value)}. Set it to one such as http://127.0.0.1:8080/v1, or unset it.`,
    );
  }
  return value.replace(/\/+$/, "");
}

function present(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === "" ? undefined : trimmed;
}

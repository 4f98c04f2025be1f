/** The providers a worker can call. An adapter, and with it its SDK, is loaded at its first use. */
import { MissingKeyError } from "../core/errors/errors.js";
import type { ProviderName } from "../core/providers.js";
import type { ModelProvider, ProviderEndpoint } from "./provider.js";
import { PROVIDER_VARIABLES, type ProviderSettings } from "./settings.js";

export interface Providers {
  /**
   * The adapter of a provider, the same one on every call.
   *
   * @throws MissingKeyError when its key (for `compatible`: its base URL) is not set.
   */
  get(name: ProviderName): Promise<ModelProvider>;
}

type AdapterLoader = (endpoint: ProviderEndpoint) => Promise<ModelProvider>;

const LOADERS: Readonly<Record<ProviderName, AdapterLoader>> = {
  anthropic: async (endpoint) => (await import("./anthropic.js")).createAnthropicProvider(endpoint),
  openai: async (endpoint) => (await import("./openai.js")).createOpenAIProvider(endpoint),
  google: async (endpoint) => (await import("./google.js")).createGoogleProvider(endpoint),
  fireworks: async (endpoint) => (await import("./fireworks.js")).createFireworksProvider(endpoint),
  compatible: async (endpoint) =>
    (await import("./fireworks.js")).createFireworksProvider(endpoint, "compatible"),
};

/** How somebody who started a `holdfast` command sets what is missing. */
const COMMAND_REMEDY =
  "in the environment or the .env of `holdfast dev` or `holdfast worker` and start it again, or start it with --simulate";

/** `remedy` goes on after “set VARIABLE”: where it is set, and what does without. */
export function createProviders(settings: ProviderSettings, remedy: string = COMMAND_REMEDY): Providers {
  const loaded = new Map<ProviderName, Promise<ModelProvider>>();
  return {
    async get(name) {
      assertReachable(name, settings[name], remedy);
      const known = loaded.get(name);
      if (known !== undefined) return known;
      const loading = LOADERS[name](settings[name]);
      loaded.set(name, loading);
      loading.catch(() => loaded.delete(name));
      return loading;
    },
  };
}

/** Whether the settings say where it is and, where it wants a key, with which. */
export function isReachable(name: ProviderName, { apiKey, baseUrl }: ProviderEndpoint): boolean {
  return (name === "compatible" ? baseUrl : apiKey) !== undefined;
}

function assertReachable(name: ProviderName, endpoint: ProviderEndpoint, remedy: string): void {
  if (isReachable(name, endpoint)) return;
  const variables = PROVIDER_VARIABLES[name];
  if (name === "compatible") {
    throw new MissingKeyError(
      `No address for compatible: models: set ${variables.baseUrl}, such as http://127.0.0.1:8080/v1 (${variables.key} too, where it asks for a key), ${remedy}.`,
    );
  }
  throw new MissingKeyError(`No key for ${name}: set ${variables.key} ${remedy}.`);
}

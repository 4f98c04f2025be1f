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

export function createProviders(settings: ProviderSettings): Providers {
  const loaded = new Map<ProviderName, Promise<ModelProvider>>();
  return {
    async get(name) {
      assertReachable(name, settings[name]);
      const known = loaded.get(name);
      if (known !== undefined) return known;
      const loading = LOADERS[name](settings[name]);
      loaded.set(name, loading);
      loading.catch(() => loaded.delete(name));
      return loading;
    },
  };
}

function assertReachable(name: ProviderName, endpoint: ProviderEndpoint): void {
  const variables = PROVIDER_VARIABLES[name];
  if (name === "compatible") {
    if (endpoint.baseUrl !== undefined) return;
    throw new MissingKeyError(
      `No address for compatible: models: set ${variables.baseUrl} to the server's base URL (for example http://127.0.0.1:8080/v1; ${variables.key} too, if it asks for a key), or use --simulate.`,
    );
  }
  if (endpoint.apiKey === undefined) {
    throw new MissingKeyError(
      `No key for ${name}: set ${variables.key} in the worker's environment, or use --simulate for the simulator.`,
    );
  }
}

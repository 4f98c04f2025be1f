/** What a worker is sure to need for its first call, loaded while it waits for something else. */
import { PROVIDER_NAMES } from "../core/providers.js";
import { loadFetch } from "./patient-fetch.js";
import { isReachable, type Providers } from "./providers.js";
import type { ProviderSettings } from "./settings.js";

/**
 * Loads Node's fetch, which every provider needs, and the adapter, and with it the SDK, of the only provider that can be reached;
 * where there are several, each waits for its first use. Never fails: whoever uses it hears why it cannot be loaded.
 */
export async function preloadProvider(providers: Providers, settings: ProviderSettings): Promise<void> {
  const reachable = PROVIDER_NAMES.filter((name) => isReachable(name, settings[name]));
  const [only, ...others] = reachable;
  loadFetch();
  if (only === undefined || others.length > 0) return;
  await providers.get(only).catch(() => undefined);
}

import { describe, expect, it } from "vitest";
import { preloadProvider } from "../../src/providers/preload-provider.js";
import type { Providers } from "../../src/providers/providers.js";
import { providerSettings } from "../../src/providers/settings.js";

/** The names that are asked for with such an environment. */
async function preloaded(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const names: string[] = [];
  const providers: Providers = {
    get: async (name) => {
      names.push(name);
      throw new Error("cannot be loaded");
    },
  };
  await preloadProvider(providers, providerSettings(env));
  return names;
}

describe("the provider that a worker loads while it starts", () => {
  it("PRV-320 is the only one that it can reach, and one that cannot be loaded is no failure", async () => {
    expect(await preloaded({ ANTHROPIC_API_KEY: "key" })).toEqual(["anthropic"]);
    expect(await preloaded({ HOLDFAST_COMPATIBLE_BASE_URL: "http://127.0.0.1:1/v1" })).toEqual([
      "compatible",
    ]);
  });

  it("PRV-320 is none where there are several, or none that can be reached", async () => {
    expect(await preloaded({ ANTHROPIC_API_KEY: "key", OPENAI_API_KEY: "key" })).toEqual([]);
    expect(await preloaded({ HOLDFAST_SIMULATOR_URL: "http://127.0.0.1:1" })).toEqual([]);
    expect(await preloaded({ HOLDFAST_COMPATIBLE_API_KEY: "key" })).toEqual([]);
  });
});

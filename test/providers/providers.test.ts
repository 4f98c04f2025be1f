import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { PROVIDER_NAMES } from "../../src/core/providers.js";
import { createProviders } from "../../src/providers/providers.js";
import { providerSettings } from "../../src/providers/settings.js";

describe("the table of providers", () => {
  it.each([
    ["anthropic", "ANTHROPIC_API_KEY"],
    ["openai", "OPENAI_API_KEY"],
    ["google", "GEMINI_API_KEY"],
    ["fireworks", "FIREWORKS_API_KEY"],
    ["compatible", "HOLDFAST_COMPATIBLE_BASE_URL"],
  ] as const)(
    "PRV-4 refuses %s without %s, and names the simulator as the way out",
    async (name, variable) => {
      const failure = await createProviders(providerSettings({}))
        .get(name)
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "MissingKeyError" });
      expect(String(failure)).toContain(variable);
      expect(String(failure)).toContain("--simulate");
    },
  );

  it("PRV-4 needs no key for a compatible server", async () => {
    const settings = providerSettings({ HOLDFAST_COMPATIBLE_BASE_URL: "http://127.0.0.1:1/v1" });
    await expect(createProviders(settings).get("compatible")).resolves.toHaveProperty("call");
  });

  it("PRV-5 loads an adapter once", async () => {
    const providers = createProviders(providerSettings({ HOLDFAST_SIMULATOR_URL: "http://127.0.0.1:1" }));
    const adapters = await Promise.all(PROVIDER_NAMES.map((name) => providers.get(name)));
    const again = await Promise.all(PROVIDER_NAMES.map((name) => providers.get(name)));
    expect(again.every((adapter, index) => adapter === adapters[index])).toBe(true);
    expect(new Set(adapters).size).toBe(PROVIDER_NAMES.length);
  });

  it("PRV-5 loads no SDK before its provider is asked for, and then no other one", () => {
    const program = `
      import { registerHooks } from "node:module";
      const sdks = new Set();
      registerHooks({
        load(url, context, next) {
          const name = /node_modules\\/(@anthropic-ai\\/sdk|openai|@google\\/genai)\\//.exec(url)?.[1];
          if (name) sdks.add(name);
          return next(url, context);
        },
        resolve(specifier, context, next) {
          const isOurs = specifier.startsWith(".") && !context.parentURL?.includes("/node_modules/");
          return next(isOurs ? specifier.replace(/\\.js$/, ".ts") : specifier, context);
        },
      });
      const { createProviders } = await import("./src/providers/providers.ts");
      const { providerSettings } = await import("./src/providers/settings.ts");
      const providers = createProviders(providerSettings({ HOLDFAST_SIMULATOR_URL: "http://127.0.0.1:1" }));
      const before = [...sdks];
      await providers.get("anthropic");
      process.stdout.write(JSON.stringify({ before, after: [...sdks] }));
    `;
    const output = execFileSync(process.execPath, ["--input-type=module", "--no-warnings", "-e", program], {
      encoding: "utf8",
    });
    expect(JSON.parse(output)).toEqual({ before: [], after: ["@anthropic-ai/sdk"] });
  });
});

import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/core/errors/errors.js";
import { dialectOf, isProviderName, PROVIDER_NAMES, resolveModel } from "../../src/core/providers.js";

describe("resolveModel", () => {
  it.each([
    ["claude-haiku-4-5", "anthropic"],
    ["gpt-6-luna", "openai"],
    ["o3", "openai"],
    ["o4-mini", "openai"],
    ["gemini-3.5-flash-lite", "google"],
    ["accounts/fireworks/models/kimi-k3", "fireworks"],
  ])("CNV-80 resolves %s to %s by its prefix", (name, provider) => {
    expect(resolveModel(name)).toEqual({ provider, dialect: provider, model: name });
  });

  it("CNV-81 takes the provider that is named before a colon, whatever the model's name", () => {
    for (const provider of PROVIDER_NAMES) {
      expect(resolveModel(`${provider}:anything`)).toEqual({
        provider,
        dialect: provider === "compatible" ? "fireworks" : provider,
        model: "anything",
      });
    }
    expect(resolveModel("compatible:qwen3:7b").model).toBe("qwen3:7b");
    expect(resolveModel("openai:claude-haiku-4-5").provider).toBe("openai");
    expect(resolveModel("gpt-6-luna:tuned").model).toBe("gpt-6-luna:tuned");
  });

  it.each([
    "",
    "hal-9000",
    "opus",
    "claude",
    "GPT-6",
    ":claude-haiku-4-5",
    "azure:gpt-6",
    " claude-haiku-4-5",
  ])("CNV-82 refuses the name %j in one line that says which names there are", (name) => {
    expect(() => resolveModel(name)).toThrow(UsageError);
    expect(() => resolveModel(name)).toThrow(
      /^Unknown model ".{0,110}": .*claude-.*provider:model.*compatible\.$/,
    );
  });

  it("CNV-82 says what is near, and what a provider's name lacks", () => {
    for (const name of ["openia", "openia:gpt-6-luna"])
      expect(() => resolveModel(name)).toThrow(/^Unknown model "openia.*": did you mean openai\? Use a name/);
    for (const name of ["anthropic", "anthropic:"])
      expect(() => resolveModel(name)).toThrow(/ names a provider and no model: write anthropic:MODEL/);
  });

  it("CNV-82 shows the beginning of a long name only", () => {
    expect(() => resolveModel("x".repeat(10_000))).toThrow(/^Unknown model "x{100}"/);
  });

  it("CNV-83 writes the histories of compatible servers in the dialect of fireworks", () => {
    expect(PROVIDER_NAMES.map(dialectOf)).toEqual([
      "anthropic",
      "openai",
      "google",
      "fireworks",
      "fireworks",
    ]);
    expect([isProviderName("compatible"), isProviderName("azure"), isProviderName(undefined)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

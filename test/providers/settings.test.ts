import { describe, expect, it } from "vitest";
import { providerSettings } from "../../src/providers/settings.js";

describe("provider settings", () => {
  it("PRV-1 are read from the environment, blanks as absent", () => {
    const settings = providerSettings({
      ANTHROPIC_API_KEY: " sk-ant-1\n",
      ANTHROPIC_BASE_URL: "https://gateway.example/anthropic/",
      OPENAI_API_KEY: "  ",
      OPENAI_BASE_URL: "",
      GEMINI_API_KEY: "g",
      FIREWORKS_API_KEY: "f",
      FIREWORKS_BASE_URL: "http://127.0.0.1:1/v1",
      HOLDFAST_COMPATIBLE_BASE_URL: "http://127.0.0.1:8080/v1",
      HOLDFAST_COMPATIBLE_API_KEY: "c",
    });
    expect(settings).toEqual({
      anthropic: { apiKey: "sk-ant-1", baseUrl: "https://gateway.example/anthropic", simulated: false },
      openai: { apiKey: undefined, baseUrl: undefined, simulated: false },
      google: { apiKey: "g", baseUrl: undefined, simulated: false },
      fireworks: { apiKey: "f", baseUrl: "http://127.0.0.1:1/v1", simulated: false },
      compatible: { apiKey: "c", baseUrl: "http://127.0.0.1:8080/v1", simulated: false },
    });
    expect(providerSettings({ GEMINI_BASE_URL: "http://h.example" }).google.baseUrl).toBe("http://h.example");
  });

  it.each(["127.0.0.1:8080", "file:///etc", "not an address"])(
    "PRV-2 refuse %j as a base URL, by its variable's name",
    (value) => {
      expect(() => providerSettings({ OPENAI_BASE_URL: value })).toThrow(
        expect.objectContaining({ code: "UsageError", message: expect.stringContaining("OPENAI_BASE_URL") }),
      );
    },
  );

  it("PRV-3 point at the simulator while it is named, and ignore keys and base URLs", () => {
    const settings = providerSettings({
      HOLDFAST_SIMULATOR_URL: "http://127.0.0.1:4010/",
      ANTHROPIC_API_KEY: "sk-ant-real",
      OPENAI_BASE_URL: "https://real.example/v1",
    });
    const simulated = (path: string) => ({
      apiKey: "simulated",
      baseUrl: `http://127.0.0.1:4010${path}`,
      simulated: true,
    });
    expect(settings).toEqual({
      anthropic: simulated("/anthropic"),
      openai: simulated("/openai/v1"),
      google: simulated("/google"),
      fireworks: simulated("/fireworks/inference/v1"),
      compatible: simulated("/compatible/v1"),
    });
  });

  it("PRV-124 name the types of files that an endpoint takes besides, and refuse what is no type", () => {
    const environment = {
      HOLDFAST_COMPATIBLE_ATTACHMENTS: " application/pdf, Audio/* ,",
      HOLDFAST_FIREWORKS_ATTACHMENTS: "",
    };
    const { compatible, fireworks, openai } = providerSettings(environment);
    expect(compatible.attachments).toEqual(["application/pdf", "audio/*"]);
    for (const endpoint of [fireworks, openai]) expect(endpoint).not.toHaveProperty("attachments");
    expect(() => providerSettings({ HOLDFAST_FIREWORKS_ATTACHMENTS: "pdf" })).toThrow(
      expect.objectContaining({
        code: "UsageError",
        message: expect.stringMatching(/HOLDFAST_FIREWORKS_ATTACHMENTS .*"pdf" is none/),
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import { Agent, type AgentOptions, type AgentSpec } from "../../src/core/agent.js";
import { checkAgent } from "../../src/core/envelope/check-agent.js";
import { UsageError } from "../../src/core/errors/errors.js";
import { deepFreeze } from "./dialects/deep-freeze.js";

const whole: AgentSpec = {
  name: "reviewer",
  model: "claude-haiku-4-5",
  instructions: "Be brief.",
  tools: [{ name: "look_up", description: "Looks up.", input_schema: { type: "object" } }, { name: "find" }],
  params: { max_tokens: 100 },
  media_policy: "auto",
  media_store: "/var/media",
  media_max_inline_bytes: null,
  send_window: { turns: 3 },
};

describe("Agent", () => {
  it("CNV-84 is plain data: what was left out is empty or absent", () => {
    const { spec, resolved } = new Agent({ model: "compatible:qwen3" });
    expect(spec).toEqual({ model: "compatible:qwen3", instructions: "", tools: [], params: {} });
    expect(resolved).toEqual({ provider: "compatible", dialect: "fireworks", model: "qwen3" });
  });

  it("CNV-85 comes back whole from its envelope", () => {
    expect(Agent.fromSpec(deepFreeze(whole)).spec).toEqual(whole);
    expect(checkAgent(Agent.fromSpec(whole).spec, "agent")).toEqual([]);
  });

  it("CNV-86 takes tools by name or by definition, and leaves their code out", () => {
    const execute = () => "never sent";
    const tools = ["find", { name: "look_up", description: "Looks up.", execute }];
    expect(new Agent({ model: "claude-haiku-4-5", tools }).spec.tools).toEqual([
      { name: "find" },
      { name: "look_up", description: "Looks up." },
    ]);
  });

  it.each([
    [{ instruction: "Be brief." }, /no option "instruction": did you mean instructions\?/],
    [{ temperature: 0 }, /no option "temperature": it has name, model, /],
    [{ model: undefined, modle: "claude-haiku-4-5" }, /no option "modle": did you mean model\?/],
    [{ tools: ["has spaces"] }, /"has spaces".*1 to 64/],
    [{ tools: [""] }, /1 to 64/],
    [{ tools: ["x".repeat(65)] }, /1 to 64/],
    [{ tools: [{ description: "nameless" }] }, /1 to 64/],
    [{ tools: [null] }, /1 to 64/],
    [{ tools: ["find", { name: "find" }] }, /find is defined twice/],
    [{ tools: "find" }, /tools: a list/],
    [{ instructions: 7 }, /instructions: a text/],
    [{ params: [] }, /params: an object/],
    [{ name: "" }, /name: a text/],
    [{ model: "" }, /needs a model/],
    [{ model: undefined }, /needs a model/],
    [{ model: "hal-9000" }, /Unknown model "hal-9000"/],
  ])("CNV-87 refuses %j in one line", (change, message) => {
    const options = { model: "claude-haiku-4-5", ...change } as AgentOptions;
    expect(() => new Agent(options)).toThrow(UsageError);
    expect(() => new Agent(options)).toThrow(message);
  });

  it("MED-230 refuses a policy, a store or a limit of another kind, in one line naming the option", () => {
    const model = "claude-haiku-4-5";
    const media = { mediaPolicy: "externalize", mediaStore: "media", mediaMaxInlineBytes: null } as const;
    expect(new Agent({ model, ...media }).spec).toMatchObject({
      media_policy: "externalize",
      media_store: "media",
      media_max_inline_bytes: null,
    });
    const wrong = [
      { mediaPolicy: "external" as never },
      { mediaStore: "" },
      { mediaStore: {} as never },
      { mediaMaxInlineBytes: -1 },
      { mediaMaxInlineBytes: 1.5 },
      { mediaMaxInlineBytes: "8" as never },
    ];
    for (const options of wrong) {
      const make = () => new Agent({ model, ...options });
      expect(make).toThrow(UsageError);
      expect(make).toThrow(new RegExp(`^An agent's ${Object.keys(options)[0]} is [^\\n]*$`));
    }
  });
});

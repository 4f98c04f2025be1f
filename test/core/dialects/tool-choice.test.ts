import { describe, expect, it } from "vitest";
import { DIALECTS } from "../../../src/core/dialects/index.js";
import { deepFreeze } from "./deep-freeze.js";

describe("a choice of tools that demands a call", () => {
  it.each([
    [
      "anthropic",
      { type: "any", disable_parallel_tool_use: true },
      { type: "auto", disable_parallel_tool_use: true },
    ],
    ["anthropic", { type: "tool", name: "a" }, { type: "auto" }],
    ["openai", "required", "auto"],
    ["openai", { type: "function", name: "a" }, "auto"],
    [
      "openai",
      { type: "allowed_tools", mode: "required", tools: [] },
      { type: "allowed_tools", mode: "auto", tools: [] },
    ],
    ["fireworks", "required", "auto"],
    ["fireworks", "any", "auto"],
    ["fireworks", { type: "function", function: { name: "a" } }, "auto"],
  ] as const)("TOL-46 is taken back on %s: %j", (dialect, tool_choice, free) => {
    const params = deepFreeze({ temperature: 0, tool_choice });
    expect(DIALECTS[dialect].withFreeToolChoice(params)).toEqual({ temperature: 0, tool_choice: free });
  });

  it("TOL-46 is taken back on google", () => {
    const config = (functionCallingConfig: object) => ({
      toolConfig: { functionCallingConfig, retrievalConfig: {} },
    });
    const params = deepFreeze(config({ mode: "ANY", allowedFunctionNames: ["a"] }));
    expect(DIALECTS.google.withFreeToolChoice(params as never)).toEqual(config({ mode: "AUTO" }));
  });

  it.each([
    ["anthropic", { tool_choice: { type: "none" } }],
    ["openai", { tool_choice: "none" }],
    ["openai", { tool_choice: { type: "allowed_tools", mode: "auto", tools: [] } }],
    ["google", { toolConfig: { functionCallingConfig: { mode: "NONE" } } }],
    ["fireworks", { tool_choice: "auto" }],
    ["fireworks", {}],
  ] as const)("TOL-46 leaves what demands none as it is: %s %j", (dialect, params) => {
    expect(DIALECTS[dialect].withFreeToolChoice(params)).toBe(params);
  });
});

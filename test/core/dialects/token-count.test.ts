import { describe, expect, it } from "vitest";
import { DIALECTS } from "../../../src/core/dialects/index.js";
import { tokenCount, tokenSum } from "../../../src/core/dialects/token-count.js";
import { addUsage } from "../../../src/core/envelope/accounting.js";
import type { JsonObject } from "../../../src/core/json.js";
import { DIALECT_NAMES } from "../../../src/core/providers.js";

const MOST = Number.MAX_SAFE_INTEGER;

/** Every field that a service counts in. */
function stating(count: number): JsonObject {
  const names = {
    anthropic: ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
    openai: ["input_tokens", "output_tokens"],
    fireworks: ["prompt_tokens", "completion_tokens"],
    google: [
      "promptTokenCount",
      "toolUsePromptTokenCount",
      "candidatesTokenCount",
      "thoughtsTokenCount",
      "cachedContentTokenCount",
    ],
  };
  const details = {
    cached_tokens: count,
    cache_write_tokens: count,
    reasoning_tokens: count,
    thinking_tokens: count,
  };
  return {
    ...Object.fromEntries(
      Object.values(names)
        .flat()
        .map((name) => [name, count]),
    ),
    input_tokens_details: details,
    output_tokens_details: details,
    prompt_tokens_details: details,
    completion_tokens_details: details,
  };
}

describe("counts of tokens that no service should send", () => {
  it.each(DIALECT_NAMES)("DIA-380 %s: are counted as whole numbers from 0 on", (name) => {
    for (const count of [-500, Number.NaN, Number.NEGATIVE_INFINITY, -0.5]) {
      const raw = stating(count);
      expect(new Set(Object.values(DIALECTS[name].usage(raw)))).toEqual(new Set([0]));
      expect(raw).toEqual(stating(count));
    }
    for (const count of [1.5, 2.25, 1e308, Number.POSITIVE_INFINITY, MOST]) {
      for (const counted of Object.values(DIALECTS[name].usage(stating(count)))) {
        expect(Number.isSafeInteger(counted)).toBe(true);
        expect(counted).toBeGreaterThanOrEqual(0);
      }
    }
  });

  it("DIA-380 are rounded, and never above what an envelope holds, their sums included", () => {
    expect([1.5, 2.25, -3, 7].map((n) => tokenCount({ n }, "n"))).toEqual([2, 2, 0, 7]);
    expect(tokenCount({ n: 1e308 }, "n")).toBe(MOST);
    expect(tokenSum(MOST, MOST, 1)).toBe(MOST);
    const huge = DIALECTS.openai.usage(stating(1e308));
    expect(addUsage(huge, huge)).toEqual(huge);
  });
});

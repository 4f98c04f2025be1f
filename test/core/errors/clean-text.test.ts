import { describe, expect, it } from "vitest";
import { boundText, cleanText, scrubSecrets } from "../../../src/core/errors/clean-text.js";

const bytes = (text: string): number => Buffer.byteLength(text, "utf8");

describe("text that came from outside", () => {
  it("PRV-16 is cut to a number of bytes between characters, and says that it was", () => {
    expect(boundText("short", 5)).toBe("short");
    expect(boundText("longer", 5)).toBe("lo…");
    const cut = boundText("€uro 🎈🎈🎈", 12);
    expect(cut).toBe("€uro …");
    expect(bytes(cut)).toBeLessThanOrEqual(12);
  });

  it("PRV-16 becomes one line without control characters", () => {
    expect(cleanText("  one\r\n\ttwo\u0007three \u2028 four\n", 100)).toBe("one two three four");
  });

  it.each([
    ["an OpenAI key", "Incorrect key sk-proj-abc_DEF-123456 given", "Incorrect key [redacted] given"],
    ["a key masked by its vendor", "key: sk-abcd****wxyz.", "key: [redacted]."],
    ["an Anthropic key", "sk-ant-api03-AAAAbbbbCCCC", "[redacted]"],
    ["a Fireworks key", "key fw_3ZabcdEFGH12", "key [redacted]"],
    ["a Google key", "key AIzaSyA-1234567890_abcdef", "key [redacted]"],
    ["a bearer token", "sent Bearer abc.def-ghi to", "sent Bearer [redacted] to"],
    ["an authorization header", "Authorization: Basic dXNlcjpwYXNz, then", "Authorization: [redacted], then"],
    ["a header in JSON", '{"x-api-key": "topsecretvalue", "a": 1}', '{"x-api-key": "[redacted]", "a": 1}'],
    [
      "a key in a URL",
      "GET https://h.example/v1?alt=sse&key=topsecret&b=1",
      "GET https://h.example/v1?alt=sse&key=[redacted]&b=1",
    ],
  ])("PRV-12 loses its secrets: %s", (_what, text, scrubbed) => {
    expect(scrubSecrets(text)).toBe(scrubbed);
  });

  it("PRV-12 loses the key in use whatever it looks like, and nothing else", () => {
    expect(scrubSecrets("no entry for hunter2hunter2", ["hunter2hunter2", undefined])).toBe(
      "no entry for [redacted]",
    );
    const innocent = "the task-force risk-assessment of a skipper needs a bearer of news";
    expect(scrubSecrets(innocent)).toBe(innocent);
  });
});

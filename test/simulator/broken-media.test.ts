import { describe, expect, it } from "vitest";
import { dialectFor } from "../../src/core/dialects/index.js";
import type { DialectName } from "../../src/core/providers.js";
import { validateAnthropicRequest } from "../../src/simulator/anthropic/validate.js";
import { validateFireworksRequest } from "../../src/simulator/fireworks/validate.js";
import { validateGoogleRequest } from "../../src/simulator/google/validate.js";
import { validateOpenaiRequest } from "../../src/simulator/openai/validate.js";
import type { WireIssue } from "../../src/simulator/wire-issue.js";
import * as sample from "../support/whole-files.js";

function refusalOf(dialect: DialectName, mime_type: string, bytes: Buffer): readonly WireIssue[] {
  const message = dialectFor(dialect).userMessage("What is this?", [
    { mime_type, name: "file", data: bytes.toString("base64") },
  ]);
  switch (dialect) {
    case "anthropic":
      return validateAnthropicRequest({ model: "claude-haiku-4-5", max_tokens: 9, messages: [message] });
    case "openai":
      return validateOpenaiRequest({ model: "gpt-6-luna", input: [message] });
    case "google":
      return validateGoogleRequest({ contents: [message] }, { model: "gemini-3.5-flash" });
    case "fireworks":
      return validateFireworksRequest({ model: "accounts/fireworks/models/kimi-k3", messages: [message] });
  }
}

describe("media that are cut off", () => {
  it.each<readonly [DialectName, string, Buffer, RegExp]>([
    ["anthropic", "image/png", sample.PNG, /^Could not process image$/],
    ["anthropic", "image/webp", sample.WEBP, /^Could not process image$/],
    ["anthropic", "application/pdf", sample.smallPdf(), /The PDF specified was not valid\./],
    ["openai", "image/jpeg", sample.JPEG, /does not represent a valid image/],
    ["openai", "application/pdf", sample.smallPdf(), /does not represent a valid PDF/],
    ["google", "image/png", sample.PNG, /^Unable to process input image/],
    ["google", "application/pdf", sample.smallPdf(), /^The document has no pages\.$/],
    ["google", "audio/wav", sample.wav(), /^Request contains an invalid argument\.$/],
    ["google", "video/mp4", sample.mp4(), /^Request contains an invalid argument\.$/],
    ["fireworks", "image/png", sample.PNG, /Failed to decode image/],
    ["fireworks", "image/gif", sample.GIF, /Failed to decode image/],
  ])("SIM-50 are refused by %s in the service's words: %s", (dialect, type, whole, message) => {
    expect(refusalOf(dialect, type, whole)).toEqual([]);
    const [issue] = refusalOf(dialect, type, whole.subarray(0, whole.length - 20));
    expect(issue?.message).toMatch(message);
  });
});

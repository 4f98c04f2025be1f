import { describe, expect, it } from "vitest";
import { assertMessage } from "../../src/client/message-limits.js";
import { TurnRefusedError, UsageError } from "../../src/core/errors/errors.js";

describe("a message before it is sent", () => {
  it("API-22 is a text that says something, or comes with a file", () => {
    expect(assertMessage("Hi", 0)).toBeUndefined();
    expect(assertMessage("", 1)).toBeUndefined();
    for (const message of ["", " \n\t\u00a0", undefined, null, 7, {}]) {
      expect(() => assertMessage(message, 0)).toThrow(UsageError);
    }
    expect(() => assertMessage(7, 1)).toThrow("A message is a text");
  });

  it("API-23 above 32 Mi characters is refused as too large, with its size and the remedy", () => {
    const most = 32 * 1024 * 1024;
    expect(assertMessage("x".repeat(most), 0)).toBeUndefined();
    const refuse = () => assertMessage("x".repeat(most + 1), 0);
    expect(refuse).toThrow(TurnRefusedError);
    expect(refuse).toThrow(/33554433 characters.*attach it as a file/);
  });
});

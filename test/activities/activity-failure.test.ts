import { ApplicationFailure } from "@temporalio/common";
import { describe, expect, it } from "vitest";
import { activityFailure, errorMessage, errorType } from "../../src/activities/activity-failure.js";
import { MissingKeyError } from "../../src/core/errors/errors.js";
import { ProviderFailure } from "../../src/core/errors/provider-failure.js";

describe("activityFailure", () => {
  it("ACT-1 bounds the message to 2 KiB and the stack to 4 KiB, whatever their characters", () => {
    for (const character of ["x", "語", "🙂", "\ud83d", "\u0000"]) {
      const error = new Error(character.repeat(3_000_000));
      const frames = Array.from(
        { length: 500 },
        (_, line) => `    at ${character.repeat(90)} (file.js:${line})`,
      );
      const stack = `Error: ${error.message}\n${frames.join("\n")}`;
      const failure = activityFailure("worker.error", error.message, { retryable: true, stack });
      expect(Buffer.byteLength(failure.message)).toBeLessThanOrEqual(2 * 1024);
      expect(Buffer.byteLength(failure.stack ?? "")).toBeLessThanOrEqual(4 * 1024);
      expect(failure.cause).toBeUndefined();
    }
  });

  it("ACT-2 has the stack's frames and none of its message", () => {
    const error = new Error("first line\nsecond line with /secret/place");
    const failure = activityFailure("worker.error", "short", { retryable: true, stack: error.stack });
    expect(failure.stack).toMatch(/^worker\.error\n {4}at /);
    expect(failure.stack).not.toContain("second line");
    expect(activityFailure("worker.error", "short", { retryable: true }).stack).toBe("worker.error");
  });

  it("ACT-3 has no key and no authorization header, in message and stack", () => {
    const secret = "sk-ant-api03-abcdefghijklmnop";
    const text = `401 for x-api-key: ${secret}, Authorization: Bearer abcdef123456`;
    const stack = `Error\n    at https://example.test/?key=${secret} (a.js:1)`;
    const failure = activityFailure("provider.authentication", text, { retryable: false, stack });
    expect(`${failure.message}${failure.stack}`).not.toMatch(/abcdef/);
    expect(failure.message).toContain("[redacted]");
  });

  it("ACT-4 says whether and when to try again, and carries its details", () => {
    const again = activityFailure("provider.overloaded", "Busy.", { retryable: true, nextRetryMs: 4_000 });
    expect(again).toMatchObject({ type: "provider.overloaded", nonRetryable: false, nextRetryDelay: 4_000 });
    const final = activityFailure("turn.refused", "No.", { retryable: false, details: ["unknown_tool"] });
    expect(final).toMatchObject({ nonRetryable: true, details: ["unknown_tool"] });
    expect(final.nextRetryDelay ?? undefined).toBeUndefined();
  });

  it("ACT-5 takes the type from what was thrown", () => {
    expect(errorType(new ProviderFailure("rate_limited", "Slow down."))).toBe("provider.rate_limited");
    expect(errorType(new MissingKeyError("No key."))).toBe("MissingKeyError");
    expect(errorType(ApplicationFailure.create({ type: "turn.refused" }))).toBe("turn.refused");
    expect(errorType(ApplicationFailure.create({}))).toBe("worker.error");
    expect([errorType(new TypeError("x")), errorType("text"), errorType(undefined)]).toEqual(
      Array.from({ length: 3 }, () => "worker.error"),
    );
    expect([errorMessage(new Error("why")), errorMessage("text"), errorMessage(undefined)]).toEqual([
      "why",
      "text",
      "It failed without saying why.",
    ]);
  });
});

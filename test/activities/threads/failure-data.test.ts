import { ApplicationFailure } from "@temporalio/common";
import { describe, expect, it } from "vitest";
import { activityFailure, errorMessage, errorType } from "../../../src/activities/activity-failure.js";
import { failureData, failureOf } from "../../../src/activities/threads/failure-data.js";
import { MissingKeyError, UsageError } from "../../../src/core/errors/errors.js";
import { ProviderFailure } from "../../../src/core/errors/provider-failure.js";

/** To the other side, as the structured clone has it. */
const across = (error: unknown): Error => failureOf(structuredClone(failureData(error)));

describe("an error that crosses from a thread", () => {
  it.each([
    new ProviderFailure("overloaded", "Busy.", {
      status: 529,
      retryAfterMs: 3_000,
      cause: new Error("secret"),
    }),
    new ProviderFailure("bad_request", "No."),
    new MissingKeyError("No key."),
    new UsageError("No."),
    activityFailure("media.missing_blob", "Gone.", { retryable: false, details: ["x"] }),
    activityFailure("worker.stale", "Moved on.", { retryable: true }),
    new RangeError("too long"),
  ])("ACT-76 says what it said, with its type, its stack and nothing behind it: %s", (error) => {
    const crossed = across(error);
    expect([errorType(crossed), errorMessage(crossed), crossed.name, crossed.stack]).toEqual([
      errorType(error),
      error.message,
      error.name,
      error.stack,
    ]);
    expect(crossed.cause).toBeUndefined();
    for (const key of [
      "kind",
      "status",
      "retryAfterMs",
      "retryable",
      "exitCode",
      "nonRetryable",
      "details",
    ]) {
      expect(Reflect.get(crossed, key), key).toEqual(Reflect.get(error, key));
    }
    expect(crossed instanceof ProviderFailure).toBe(error instanceof ProviderFailure);
    expect(crossed instanceof ApplicationFailure).toBe(error instanceof ApplicationFailure);
  });

  it("ACT-76 is an error also where something else was thrown", () => {
    expect(across("just text")).toMatchObject({ name: "Error", message: "just text" });
  });
});

import { describe, expect, it } from "vitest";
import { WarningLogger } from "../../src/connection/warning-logger.js";

describe("the logger of commands", () => {
  it("CON-72 says warnings and errors in one line with the conversation they are about, and nothing below", () => {
    const lines: string[] = [];
    const logger = new WarningLogger((line) => lines.push(line));
    logger.trace();
    logger.debug();
    logger.info();
    logger.warn("Activity failed", {
      workflowId: "review",
      attempt: 2,
      error: new Error("Down.\n  Wait."),
    });
    logger.error("A checkpoint was not written.", { conversation_id: "notes" });
    logger.warn("The stream is away.");
    expect(lines).toEqual([
      "review: attempt 2 failed: Down. Wait.",
      "notes: A checkpoint was not written.",
      "The stream is away.",
    ]);
  });
});

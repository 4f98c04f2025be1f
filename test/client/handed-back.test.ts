import { WorkflowUpdateFailedError } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { describe, expect, it } from "vitest";
import { wasHandedBack } from "../../src/client/unwrap-failure.js";

const rejected = (message: string): WorkflowUpdateFailedError =>
  new WorkflowUpdateFailedError("Workflow Update failed", ApplicationFailure.nonRetryable(message));

describe("a call that the server hands back", () => {
  it("API-89 is known by the server's words for a lost workflow task, and may be made again", () => {
    const unread = "Workflow Update is rejected because it wasn't processed by worker. Probably, …";
    expect(wasHandedBack(rejected(unread))).toBe(true);
    const query = new Error("Failed", {
      cause: new Error("14 UNAVAILABLE: buffered query cleared, please retry"),
    });
    expect(wasHandedBack(query)).toBe(true);
    expect(wasHandedBack(new Error("14 UNAVAILABLE: workflow update was aborted"))).toBe(true);
  });

  it("API-90 is not one that the conversation has refused, nor any other failure", () => {
    expect(wasHandedBack(rejected("Conversation c is busy."))).toBe(false);
    expect(wasHandedBack(new Error("14 UNAVAILABLE: connection refused"))).toBe(false);
    expect(wasHandedBack("text")).toBe(false);
  });
});

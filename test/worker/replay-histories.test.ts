import type { Client } from "@temporalio/client";
import { describe, expect, it } from "vitest";
import { runHistories } from "../../src/worker/replay-histories.js";

/** A server with the newest run, and with this in the place of the one before. */
function serverWith(failure: unknown): Client {
  const started = { workflowExecutionStartedEventAttributes: { continuedExecutionRunId: "the-run-before" } };
  const getWorkflowExecutionHistory = async (request: {
    readonly execution: { readonly runId?: string };
  }): Promise<unknown> => {
    if (request.execution.runId !== undefined) throw failure;
    return { history: { events: [started] }, nextPageToken: new Uint8Array() };
  };
  const client = {
    options: { namespace: "default" },
    workflowService: { getWorkflowExecutionHistory },
    withDeadline: <T>(_deadline: number, call: () => Promise<T>) => call(),
  };
  return client as unknown as Client;
}

const grpcFailure = (code: number, details: string): Error =>
  Object.assign(new Error(details), { code, details, metadata: {} });

describe("the runs of a conversation", () => {
  it("CMD-400 end at one that the server no longer has", async () => {
    const histories = await runHistories(serverWith(grpcFailure(5, "not found")), "a");
    expect(histories).toHaveLength(1);
  });

  it("CMD-400 are not told without one that cannot be read", async () => {
    const failure = grpcFailure(8, "Received message larger than max");
    await expect(runHistories(serverWith(failure), "a")).rejects.toBe(failure);
  });
});

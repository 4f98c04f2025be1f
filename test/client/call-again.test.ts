import {
  type Client,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { describe, expect, it } from "vitest";
import { callAgain } from "../../src/client/call-again.js";
import { ServerUnreachableError } from "../../src/core/errors/errors.js";

const notAborted = new AbortController().signal;
const clientOf = (status: string, isThere = true): Client =>
  ({
    connection: {
      withDeadline: (_: number, ask: () => Promise<unknown>) => ask(),
      workflowService: {
        getSystemInfo: () => (isThere ? Promise.resolve({}) : Promise.reject(new Error("away"))),
      },
    },
    workflow: { getHandle: () => ({ describe: () => Promise.resolve({ status: { name: status } }) }) },
  }) as unknown as Client;

const failed = (cause: Error): Error => new WorkflowUpdateFailedError("Workflow Update failed", cause);
const service = (code: number, details: string): Error =>
  new ServiceError("Failed", {
    cause: Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: {} }),
  });

const failedQuery = (code: number, details: string): Error =>
  new ServiceError("Failed to query Workflow", { cause: service(code, details).cause as Error });

const moving = failed(
  ApplicationFailure.nonRetryable("It is moving.", "TurnRefusedError", { reason: "moving" }),
);
const again: Readonly<Record<string, Error>> = {
  "a run that is ending": moving,
  "a rebind of a run that is ending": failed(
    ApplicationFailure.nonRetryable("It is moving.", "RebindRefusedError", { reason: "moving" }),
  ),
  "an update that was accepted by a run that ended": failed(
    ApplicationFailure.nonRetryable("Gone.", "AcceptedUpdateCompletedWorkflow"),
  ),
  "an update of which no run knows any more": new WorkflowNotFoundError(
    'update "t1" not found',
    "c",
    undefined,
  ),
  "a busy server": service(8, "workflow is closing"),
  "a server that is not ready": service(14, "shard status unknown"),
  "a task that the server gave up": service(9, "unexpected workflow task failure"),
  "a worker that went while it was handed the query": service(1, "context canceled"),
  "a task that was lost several times": service(
    9,
    "Unable to query workflow due to Workflow Task in failed state.",
  ),
};

/** Fails the first time, then answers. */
function once(error: Error): { call(): Promise<string>; readonly tries: number } {
  let tries = 0;
  return {
    call: () => (++tries === 1 ? Promise.reject(error) : Promise.resolve("answered")),
    get tries() {
      return tries;
    },
  };
}

describe("a call that met a run which was ending", () => {
  it.each(Object.keys(again))("API-170 is made again after %s", async (name) => {
    const server = once(again[name] as Error);
    expect(await callAgain(clientOf("RUNNING"), "c", server.call, notAborted)).toBe("answered");
    expect(server.tries).toBe(2);
  });

  it("API-171 is given up where the conversation was closed, was not reached, or has refused", async () => {
    const closed = once(new WorkflowNotFoundError("workflow execution already completed", "c", undefined));
    await expect(callAgain(clientOf("COMPLETED"), "c", closed.call, notAborted)).rejects.toThrow(
      "already completed",
    );
    const refused = failed(
      ApplicationFailure.nonRetryable("It is busy.", "TurnRefusedError", { reason: "busy" }),
    );
    for (const error of [
      refused,
      failedQuery(1, "The connection was closed."),
      service(14, "No connection established. Last error: ECONNREFUSED"),
      service(8, "grpc: received message larger than max"),
      new Error("Something else"),
    ]) {
      const server = once(error);
      await expect(callAgain(clientOf("RUNNING"), "c", server.call, notAborted)).rejects.toBe(error);
      expect(server.tries).toBe(1);
    }
  });

  it("API-173 is made again when it is a query that no worker has answered in time, a few times only", async () => {
    for (const error of [
      failedQuery(4, "query timed out before a worker could process it"),
      failedQuery(4, "Deadline exceeded after 10.001s"),
      failedQuery(1, "Call cancelled"),
    ]) {
      const server = once(error);
      expect(await callAgain(clientOf("RUNNING"), "c", server.call, notAborted)).toBe("answered");
      let tries = 0;
      const never = (): Promise<never> => {
        tries += 1;
        return Promise.reject(error);
      };
      await expect(callAgain(clientOf("RUNNING"), "c", never, notAborted)).rejects.toBe(error);
      expect(tries).toBe(3);
    }
  });

  it("API-173 is given up at once where it is the server that is away, and says so", async () => {
    const server = once(failedQuery(4, "Deadline exceeded after 10.001s"));
    await expect(callAgain(clientOf("RUNNING", false), "c", server.call, notAborted)).rejects.toThrow(
      ServerUnreachableError,
    );
    expect(server.tries).toBe(1);
  });

  it("API-171 is not made again once nobody waits for it", async () => {
    const server = once(moving);
    await expect(callAgain(clientOf("RUNNING"), "c", server.call, AbortSignal.abort())).rejects.toBe(moving);
    expect(server.tries).toBe(1);
  });
});

import { CompleteAsyncError } from "@temporalio/activity";
import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { MockActivityEnvironment } from "@temporalio/testing";
import { describe, expect, it } from "vitest";
import { confirmMove } from "../../src/activities/confirm-move.js";

const input = { conversation_id: "c", run_id: "run" };

interface Asked {
  readonly handle: readonly unknown[];
  readonly update: unknown;
}

/** Runs the activity against a server that fails with these errors, one after the other, and then takes the update. */
async function confirm(
  ...errors: readonly Error[]
): Promise<{ readonly asked: readonly Asked[]; error: unknown }> {
  const asked: Asked[] = [];
  const getHandle = (...handle: readonly unknown[]): object => ({
    executeUpdate: async ({ name }: { readonly name: string }) => {
      asked.push({ handle, update: name });
      const error = errors[asked.length - 1];
      if (error !== undefined) throw error;
    },
  });
  const withAbortSignal = (_signal: AbortSignal, work: () => unknown): unknown => work();
  const client = { workflow: { getHandle }, withAbortSignal } as unknown as Client;
  const environment = new MockActivityEnvironment({}, { client });
  const error: unknown = await environment.run(confirmMove, input).catch((reason: unknown) => reason);
  return { asked, error };
}

describe("the update with which a run continues as new", () => {
  it("WFL-178 goes to that run and to no other, and the activity stays open: its run is over", async () => {
    const { asked, error } = await confirm();
    expect(asked).toEqual([{ handle: ["c", "run"], update: "confirm_move" }]);
    expect(error).toBeInstanceOf(CompleteAsyncError);
  });

  it("WFL-178 is sent again where the server has let go of it, and not to a run that has ended", async () => {
    const lost = new Error("workflow update was aborted");
    expect((await confirm(lost, lost)).asked).toHaveLength(3);
    for (const over of [
      new WorkflowNotFoundError("workflow execution already completed", "c", "run"),
      new WorkflowUpdateFailedError(
        "Failed",
        ApplicationFailure.nonRetryable("Gone.", "AcceptedUpdateCompletedWorkflow"),
      ),
    ]) {
      const { asked, error } = await confirm(over);
      expect(asked).toHaveLength(1);
      expect(error).toBeInstanceOf(CompleteAsyncError);
    }
  });

  it("WFL-178 fails for another attempt when it is never taken", async () => {
    const { asked, error } = await confirm(...Array.from({ length: 20 }, () => new Error("Lost.")));
    expect(asked).toHaveLength(20);
    expect(error).toMatchObject({ type: "move.not_confirmed", nonRetryable: false, message: "Lost." });
  });
});

import {
  QueryRejectedError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from "@temporalio/client";
import { ApplicationFailure, NamespaceNotFoundError } from "@temporalio/common";
import { describe, expect, it } from "vitest";
import { refusedTurn, turnNotFound, unwrapFailure } from "../../src/client/unwrap-failure.js";
import {
  ConversationNotFoundError,
  MissingKeyError,
  NoWorkerError,
  REFUSAL_REASONS,
  RebindRefusedError,
  ServerUnreachableError,
  SessionCompatibilityError,
  TurnRefusedError,
  UsageError,
} from "../../src/core/errors/errors.js";

const refusedUpdate = (type: string, ...details: unknown[]) =>
  new WorkflowUpdateFailedError(
    "Workflow Update failed",
    ApplicationFailure.nonRetryable("Why it was refused.", type, ...details),
  );

/** What a gRPC call rejects with. */
const grpc = (code: number) =>
  Object.assign(new Error("14 UNAVAILABLE"), { code, details: "", metadata: {} });

describe("Temporal's failures", () => {
  it.each([
    ["RebindRefusedError", RebindRefusedError, 3],
    ["SessionCompatibilityError", SessionCompatibilityError, 3],
    ["MissingKeyError", MissingKeyError, 1],
    ["UsageError", UsageError, 2],
    ["TurnRefusedError", TurnRefusedError, 3],
  ])(
    "API-12 of an update refused as %s become that class, with its message and exit code",
    (type, expected, exitCode) => {
      const error = unwrapFailure(refusedUpdate(type, { reason: "busy" }), "review");
      expect(error).toBeInstanceOf(expected);
      expect(error).toMatchObject({ message: "Why it was refused.", exitCode });
    },
  );

  it("API-13 of a refused turn carry its reason; a malformed message is a wrong call", () => {
    for (const reason of REFUSAL_REASONS.filter((known) => known !== "invalid")) {
      const error = unwrapFailure(refusedUpdate("TurnRefusedError", { reason }), "review");
      expect(error).toMatchObject({ code: "TurnRefusedError", reason });
    }
    expect(unwrapFailure(refusedUpdate("TurnRefusedError", { reason: "invalid" }), "review")).toBeInstanceOf(
      UsageError,
    );
    for (const details of [[], ["busy"], [{ reason: "of a later release" }]]) {
      expect(unwrapFailure(refusedUpdate("TurnRefusedError", ...details), "review")).toMatchObject({
        code: "TurnRefusedError",
        reason: "invalid",
      });
    }
    expect(refusedTurn("No.", "unknown_tool")).toMatchObject({ reason: "unknown_tool" });
  });

  it("API-340 of a call whose connection was closed say so; any other that was cancelled stays as it is", () => {
    const closed = Object.assign(grpc(1), { details: "The connection was closed." });
    for (const wrapped of [
      new ServiceError("Failed to query Workflow", { cause: closed }),
      new WorkflowUpdateRPCTimeoutOrCancelledError(closed.details, { cause: closed }),
    ]) {
      const error = unwrapFailure(wrapped, "review");
      expect(error).toBeInstanceOf(ServerUnreachableError);
      expect((error as Error).message).toMatch(/closed before .* for conversation "review": connect again/);
    }
    expect((unwrapFailure(closed, "") as Error).message).toMatch(/had answered: connect again/);
    expect(unwrapFailure(grpc(1), "review")).not.toBeInstanceOf(ServerUnreachableError);
  });

  it("API-60 of a query that the server does not even try, since nobody polls, say who is missing", () => {
    const reason = "9 FAILED_PRECONDITION: no poller seen for task queue recently, worker may be down";
    const cause = Object.assign(new Error(reason), { code: 9, details: reason, metadata: {} });
    const error = unwrapFailure(new ServiceError("Failed to query Workflow", { cause }), "review");
    expect(error).toBeInstanceOf(NoWorkerError);
    expect((error as Error).message).toMatch(/"review": start one with `holdfast worker`/);
    const lost = "Unable to query workflow due to Workflow Task in failed state.";
    const failing = Object.assign(new Error(lost), { code: 9, details: lost, metadata: {} });
    expect(
      unwrapFailure(new ServiceError("Failed to query Workflow", { cause: failing }), "review"),
    ).toBeInstanceOf(NoWorkerError);
    const other = Object.assign(new Error("9 FAILED_PRECONDITION: odd"), {
      code: 9,
      details: "odd",
      metadata: {},
    });
    expect(unwrapFailure(other, "review")).toBe(other);
  });

  it("API-14 never show a WorkflowUpdateFailedError", () => {
    const error = unwrapFailure(refusedUpdate("of a later release"), "review");
    expect(error).toBeInstanceOf(ApplicationFailure);
    const update = new WorkflowUpdateFailedError("failed", new TypeError("odd"));
    expect(unwrapFailure(update, "review")).toBe(update.cause);
  });

  it("API-15 of a conversation that is not there name it and the commands that list", () => {
    for (const failure of [
      new WorkflowNotFoundError("not found", "review", undefined),
      new QueryRejectedError(2),
    ]) {
      const error = unwrapFailure(failure, "review");
      expect(error).toBeInstanceOf(ConversationNotFoundError);
      expect(error).toMatchObject({
        message: expect.stringMatching(/"review".*holdfast list.*holdfast list --closed/),
      });
    }
  });

  it("API-15 of a turn that is not there name the turn as what is missing", () => {
    expect(turnNotFound("review", "nope").message).toBe(
      'Conversation "review" has no turn "nope": `holdfast show review` lists the ids of its turns.',
    );
  });

  it.each([4, 14])(
    "API-16 with the gRPC code %i say that the server does not answer, and the remedy",
    (code) => {
      for (const failure of [grpc(code), new ServiceError("Failed", { cause: grpc(code) })]) {
        const error = unwrapFailure(failure, "review");
        expect(error).toBeInstanceOf(ServerUnreachableError);
        expect(error).toMatchObject({ message: expect.stringMatching(/does not answer.*holdfast dev/) });
      }
    },
  );

  it("API-17 of a refused client name the key, and of a missing namespace name it", () => {
    for (const code of [7, 16]) {
      expect(unwrapFailure(new ServiceError("Failed", { cause: grpc(code) }), "review")).toMatchObject({
        code: "ServerUnreachableError",
        message: expect.stringContaining("TEMPORAL_API_KEY"),
      });
    }
    expect(unwrapFailure(new NamespaceNotFoundError("production"), "review")).toMatchObject({
      code: "ServerUnreachableError",
      message: expect.stringMatching(/no namespace production.*TEMPORAL_NAMESPACE/),
    });
  });

  it("API-18 that are not known, and Holdfast's own, are handed on", () => {
    for (const error of [new UsageError("Wrong."), new TypeError("odd"), grpc(13), undefined, "text"]) {
      expect(unwrapFailure(error, "review")).toBe(error);
    }
  });
});

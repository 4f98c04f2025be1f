/** The handlers of a conversation's messages. Each guards before it touches anything: nothing sent can brick it. */
import { ApplicationFailure, condition, setDefaultSignalHandler, setHandler } from "@temporalio/workflow";
import { isRefused, type Refused } from "../core/conversation/admit.js";
import type {
  RebindRequest,
  Receipt,
  Submission,
  TurnResult,
  TurnView,
} from "../core/conversation/messages.js";
import { rebindIssue, rebindShapeIssue } from "../core/conversation/rebind.js";
import { statusOf, turnView } from "../core/conversation/views.js";
import type { ConversationRun } from "./conversation-run.js";
import * as m from "./messages.js";
import { registerQueries } from "./queries.js";

/** Most callers that may wait inside `run_turn`; Temporal allows ten unfinished updates in all (design rule 3). */
const WAITING_LIMIT = 4;

/** Registers everything, synchronously, before the workflow's first await. */
export function registerHandlers(run: ConversationRun): void {
  registerTurns(run);
  registerRunTurn(run);
  registerRebind(run);
  registerSignals(run);
  registerQueries(run);
}

function registerTurns(run: ConversationRun): void {
  setHandler(m.submitTurn, (submission: Submission): Receipt => accepted(run.submit(submission)), {
    validator: (submission) => refuseWhere(run.refusalOf(submission)),
    description: "Accepts a message durably and returns at once: {message, turn_id?, files?, on_busy?}.",
  });
}

function registerRunTurn(run: ConversationRun): void {
  let waiting = 0;
  const handler = async (submission: Submission): Promise<TurnResult> => {
    const { turn_id: turnId } = accepted(run.submit(submission));
    waiting++;
    try {
      await condition(() => hasEnded(turnView(run.state, turnId)));
    } finally {
      waiting--;
    }
    const view = turnView(run.state, turnId);
    if (view.result !== undefined) return view.result;
    const error = view.interrupted_turn?.error ?? view.error ?? "The turn did not complete.";
    throw ApplicationFailure.nonRetryable(
      error,
      view.state === "refused" ? "TurnRefusedError" : "TurnInterruptedError",
      view,
    );
  };
  setHandler(m.runTurn, handler, {
    validator: (submission) => {
      refuseWhere(run.refusalOf(submission));
      if (waiting < WAITING_LIMIT) return;
      throw ApplicationFailure.nonRetryable(
        `${WAITING_LIMIT} callers wait inside run_turn already: use submit_turn and the turn query.`,
        "TurnRefusedError",
        { reason: "too_many_waiting" },
      );
    },
    description: "Accepts a message and waits for its result. For short use; at most four may wait.",
  });
}

/** Ended, and its checkpoint written where one is set. */
function hasEnded({ state, checkpointed }: TurnView): boolean {
  return state !== "queued" && state !== "running" && checkpointed !== null;
}

function registerRebind(run: ConversationRun): void {
  setHandler(
    m.rebindUpdate,
    async (request: RebindRequest) => {
      try {
        await run.rebind(request);
      } catch (error) {
        throw updateFailure(error);
      }
      return statusOf(run.state, run.closed);
    },
    {
      validator: (request) => {
        const issue = rebindRefusal(run, request);
        if (issue !== undefined) throw ApplicationFailure.nonRetryable(issue, "RebindRefusedError");
      },
      description: "Continues the conversation on another agent or model: {agent: {model, …}}.",
    },
  );
  setHandler(
    m.rebindSignal,
    async (request: RebindRequest) => {
      await guarded(run, "rebind", async () => {
        const issue = rebindRefusal(run, request);
        if (issue === undefined) await run.rebind(request);
        else run.recordRefusal("rebind", "refused", issue);
      });
    },
    { description: "As the update, fire and forget; a refusal shows in `status`." },
  );
}

function registerSignals(run: ConversationRun): void {
  setHandler(
    m.submitTurnSignal,
    (submission) => guarded(run, "submit_turn", () => run.submitSignalled(submission)),
    { description: "Accepts a message, fire and forget: {message} is enough." },
  );
  setHandler(
    m.cancelTurn,
    (request) =>
      guarded(run, "cancel_turn", () => {
        const issue = run.cancel(request);
        if (issue !== undefined) run.recordRefusal("cancel_turn", "unknown_turn", issue);
      }),
    {
      description:
        "Stops a turn, which ends interrupted: {turn_id?, reason?}; without an id the one that runs.",
    },
  );
  setHandler(m.close, () => guarded(run, "close", () => run.close()), {
    description: "Closes the conversation once its queue has drained.",
  });
  setDefaultSignalHandler((name) => {
    run.recordRefusal(
      name.slice(0, 100),
      "unknown_signal",
      "This conversation knows no signal of that name.",
    );
  });
}

/** A signal has no caller to tell: whatever it throws is recorded and seen by query. */
async function guarded(
  run: ConversationRun,
  name: string,
  handle: () => void | Promise<void>,
): Promise<void> {
  try {
    await handle();
  } catch (error) {
    run.recordRefusal(name, "failed", causeOf(error));
  }
}

function accepted(outcome: Receipt | Refused): Receipt {
  if (isRefused(outcome)) throw refusal(outcome);
  return outcome;
}

function refuseWhere(outcome: Refused | undefined): void {
  if (outcome !== undefined) throw refusal(outcome);
}

function refusal({ refused, error }: Refused): ApplicationFailure {
  return ApplicationFailure.nonRetryable(error, "TurnRefusedError", { reason: refused });
}

function rebindRefusal(run: ConversationRun, request: RebindRequest): string | undefined {
  return rebindShapeIssue(run.state.head.agent, request) ?? rebindIssue(run.state, request.agent.model);
}

/** Whatever a handler throws reaches the caller as one bounded failure, never as a failed workflow task. */
function updateFailure(error: unknown): ApplicationFailure {
  const cause = (error as { cause?: unknown }).cause ?? error;
  const type = cause instanceof ApplicationFailure ? (cause.type ?? undefined) : undefined;
  return ApplicationFailure.nonRetryable(causeOf(error), type ?? "RebindRefusedError");
}

function causeOf(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause ?? error;
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, 500);
}

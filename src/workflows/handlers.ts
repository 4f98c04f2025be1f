/** The handlers of a conversation's messages. Each guards before it touches anything: nothing sent can brick it. */
import {
  type ApplicationFailure,
  CancellationScope,
  condition,
  setDefaultSignalHandler,
  setHandler,
} from "@temporalio/workflow";
import { isRefused, type Refused } from "../core/conversation/admit.js";
import { movingText } from "../core/conversation/continue.js";
import type {
  RebindRequest,
  Receipt,
  Submission,
  TurnResult,
  TurnView,
} from "../core/conversation/messages.js";
import { rebindShapeIssue } from "../core/conversation/rebind.js";
import { statusOf, turnView } from "../core/conversation/views.js";
import { jsonByteLength } from "../core/json-byte-length.js";
import { registerApprovals } from "./approval-handlers.js";
import type { ConversationRun } from "./conversation-run.js";
import { causeText, handlerFailure, updateFailure } from "./handler-failure.js";
import * as m from "./messages.js";
import { registerQueries } from "./queries.js";
import { hasEnded, type TurnReplies } from "./turn-replies.js";

/** Most callers that may wait inside `run_turn`; Temporal allows ten unfinished updates in all (WFL-8). */
const WAITING_LIMIT = 4;
const DETAILS_BYTES = 4 * 1024;

/** Registers everything, synchronously, before the workflow's first await. */
export function registerHandlers(run: ConversationRun, replies: TurnReplies): void {
  registerTurns(run, replies);
  registerRunTurn(run);
  registerRebind(run);
  registerApprovals(run);
  registerSignals(run, replies);
  registerQueries(run);
}

function registerTurns(run: ConversationRun, replies: TurnReplies): void {
  const handler = (submission: Submission): Receipt => {
    try {
      const receipt = accepted(run.submit(submission));
      replies.promise(receipt.turn_id, submission.reply_to);
      return receipt;
    } catch (error) {
      throw updateFailure(error, "TurnRefusedError");
    }
  };
  setHandler(m.submitTurn, handler, {
    validator: (submission) => refuseWhere(run.refusalOf(submission)),
    description: "Accepts a message durably and returns at once: {message, turn_id?, files?, on_busy?}.",
  });
}

function registerRunTurn(run: ConversationRun): void {
  let waiting = 0;
  const handler = async (submission: Submission): Promise<TurnResult> => {
    waiting++;
    try {
      const { turn_id: turnId } = accepted(run.submit(submission));
      // A cancelled conversation ends its turns before it closes: whoever waits for one hears how it ended.
      await CancellationScope.nonCancellable(() =>
        condition(() => hasEnded(run, turnId) || run.move.isUnderWay),
      );
      if (!hasEnded(run, turnId)) throw moving(run, "TurnRefusedError");
      return resultOf(turnView(run.state, turnId));
    } catch (error) {
      throw updateFailure(error, "TurnInterruptedError");
    } finally {
      waiting--;
    }
  };
  setHandler(m.runTurn, handler, {
    validator: (submission) => {
      refuseWhere(run.refusalOf(submission));
      if (waiting < WAITING_LIMIT) return;
      throw handlerFailure(
        "TurnRefusedError",
        `${WAITING_LIMIT} callers wait inside run_turn already: use submit_turn and the turn query.`,
        { reason: "too_many_waiting" },
      );
    },
    description: "Accepts a message and waits for its result. For short use; at most four may wait.",
  });
}

function resultOf(view: TurnView): TurnResult {
  if (view.result !== undefined) return view.result;
  const error = view.interrupted_turn?.error ?? view.error ?? "The turn did not complete.";
  const type = view.state === "refused" ? "TurnRefusedError" : "TurnInterruptedError";
  const { turn_id, state } = view;
  throw handlerFailure(type, error, jsonByteLength(view) <= DETAILS_BYTES ? view : { turn_id, state });
}

function registerRebind(run: ConversationRun): void {
  setHandler(
    m.rebindUpdate,
    async (request: RebindRequest) => {
      try {
        await run.rebind(request);
      } catch (error) {
        throw updateFailure(error, "RebindRefusedError");
      }
      return statusOf(run.state, run.closed);
    },
    {
      validator: (request) => {
        if (run.move.isUnderWay) throw moving(run, "RebindRefusedError");
        const issue = run.rebindRefusal(request);
        if (issue !== undefined) throw handlerFailure("RebindRefusedError", issue);
      },
      description: "Continues the conversation on another agent or model: {agent: {model, …}, convert?}.",
    },
  );
  setHandler(
    m.previewRebind,
    async (request: RebindRequest) => {
      try {
        // It changes nothing, so that it can be asked for again: the run does not wait for it.
        return await Promise.race([
          run.preview(request),
          run.move.interruption(run.id, "RebindRefusedError"),
        ]);
      } catch (error) {
        throw updateFailure(error, "RebindRefusedError");
      }
    },
    {
      validator: (request) => {
        const issue = rebindShapeIssue(run.state.head.agent, request);
        if (issue !== undefined) throw handlerFailure("UsageError", issue);
        if (run.move.isUnderWay) throw moving(run, "RebindRefusedError");
      },
      description: "What a rebind would not carry over: {agent: {model, …}, convert?}. Changes nothing.",
    },
  );
  setHandler(m.rebindSignal, (request: RebindRequest) => rebindSignalled(run, request), {
    description: "As the update, fire and forget; a refusal shows in `status`.",
  });
}

/** Those that came while the run before this one ended. To be called with the handlers' registration. */
export async function rebindCarried(run: ConversationRun, requests: readonly RebindRequest[]): Promise<void> {
  for (const request of requests) await rebindSignalled(run, request);
}

function rebindSignalled(run: ConversationRun, request: RebindRequest): Promise<void> {
  return guarded(run, "rebind", async () => {
    const issue = run.rebindRefusal(request);
    if (issue !== undefined) run.recordRefusal("rebind", "refused", issue);
    else if (!run.move.isUnderWay) await run.rebind(request);
    else if (!run.move.carry(request)) run.recordRefusal("rebind", "moving", movingText(run.id));
  });
}

function registerSignals(run: ConversationRun, replies: TurnReplies): void {
  setHandler(
    m.submitTurnSignal,
    (submission) =>
      guarded(run, "submit_turn", () => {
        run.submitSignalled(submission);
        replies.promiseSignalled(submission);
      }),
    { description: "Accepts a message, fire and forget: {message} is enough. {reply_to} is told its end." },
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
    run.recordRefusal(name, "failed", causeText(error));
  }
}

function accepted(outcome: Receipt | Refused): Receipt {
  if (isRefused(outcome)) throw refusal(outcome);
  return outcome;
}

function refuseWhere(outcome: Refused | undefined): void {
  if (outcome !== undefined) throw refusal(outcome);
}

function moving(run: ConversationRun, type: string): Error {
  return run.move.refusal(run.id, type);
}

function refusal({ refused, error }: Refused): ApplicationFailure {
  return handlerFailure("TurnRefusedError", error, { reason: refused });
}

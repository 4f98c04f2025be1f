/** Continue-as-new: a conversation goes on in a new run with a short history, and nobody notices (WFL-174). */
import {
  allHandlersFinished,
  condition,
  makeContinueAsNewFunc,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import type { ConversationActivities } from "../core/conversation/activity-contract.js";
import { isParked } from "../core/conversation/approvals.js";
import { CARRIED_REBINDS, continuedArguments, movingText } from "../core/conversation/continue.js";
import type { RebindRequest } from "../core/conversation/messages.js";
import type { ConversationState } from "../core/conversation/state.js";
import { CONFIRM_OPTIONS } from "./activity-options.js";
import { handlerFailure } from "./handler-failure.js";
import * as m from "./messages.js";
import { runMeter } from "./run-meter.js";

/** Histories that were recorded when a parked turn kept its run from ending replay as they were. */
const PARKED_PATCH = "parked-move";

/**
 * The end of a run, in two steps. First no turn is started any more, updates are refused and those that wait inside end. Then
 * the run continues as new in a workflow task that has brought it every signal that the server had: it is the one that
 * brings the confirming update. A query shows a worker what has happened ahead of its workflow task, but no update; a run
 * that ended in a task of its own choosing could end ahead of signals that the server believes it has seen.
 */
export class Move {
  #isUnderWay = false;
  #isConfirmed = false;
  #isForced = false;
  #carriesParked = false;
  #rebinds: RebindRequest[] = [];
  #isQuiet: () => boolean = () => true;

  /** Registers the confirming update, as every handler before the first await. */
  constructor() {
    const confirm = (): void => {
      this.#isConfirmed ||= this.#isUnderWay;
    };
    setHandler(m.confirmMove, confirm, {
      description: "Internal: a run that is to end has been told all that the server knows.",
    });
  }

  /** What has to be done before a run ends, beside its handlers. */
  waitFor(isQuiet: () => boolean): void {
    this.#isQuiet = isQuiet;
  }

  /** From here on updates are refused with `moving`, and no turn starts. Signals are taken and carried over. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  isDue({ head }: ConversationState): boolean {
    return head.continues === true && (this.#isForced || runMeter.isPast(head.limits));
  }

  /** A turn is parked, or part of it is. */
  park(): void {
    this.#carriesParked ||= patched(PARKED_PATCH);
  }

  /** Whether the turn that runs is parked; false where the history says nothing of such turns. */
  isParked(state: ConversationState): boolean {
    return this.#carriesParked && isParked(state);
  }

  /** As `isDue`, of a turn that runs: one that is parked counts as between turns. */
  isDueWithin(state: ConversationState): boolean {
    return this.isDue(state) && this.isParked(state);
  }

  /** After a conversion the whole history is in an event. */
  force(): void {
    this.#isForced = true;
  }

  /** Keeps a rebind by signal for the next run. False: too many wait already. */
  carry(request: RebindRequest): boolean {
    if (this.#rebinds.length >= CARRIED_REBINDS) return false;
    this.#rebinds.push(request);
    return true;
  }

  /** Rejects once the move is under way: an update that waits for an activity ends with it, and is sent again. */
  async interruption(conversationId: string, type: string): Promise<never> {
    await condition(() => this.#isUnderWay);
    throw this.refusal(conversationId, type);
  }

  refusal(conversationId: string, type: string): Error {
    return handlerFailure(type, movingText(conversationId), { reason: "moving" });
  }

  /** Ends this run. `state` is asked for at the last moment: signals change it until then. */
  async make(state: () => ConversationState): Promise<never> {
    this.#isUnderWay = true;
    setCurrentDetails("moving to the next run");
    await condition(() => this.#isSettled());
    this.#askForConfirmation(state().head.conversation_id);
    await condition(() => this.#isConfirmed && this.#isSettled());
    const { memo, taskTimeoutMs } = workflowInfo();
    const next = makeContinueAsNewFunc({
      workflowTaskTimeout: taskTimeoutMs,
      ...(memo === undefined ? {} : { memo }),
    });
    return next(...continuedArguments(state(), this.#rebinds));
  }

  #isSettled(): boolean {
    return allHandlersFinished() && this.#isQuiet();
  }

  /** Whatever becomes of the activity, the run goes on: at worst as if there had been no confirmation. */
  #askForConfirmation(conversation_id: string): void {
    const activities = proxyActivities<ConversationActivities>(CONFIRM_OPTIONS);
    activities.confirmMove({ conversation_id, run_id: workflowInfo().runId }).then(
      () => undefined,
      () => {
        this.#isConfirmed = true;
      },
    );
  }
}

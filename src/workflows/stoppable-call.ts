/** A model call that a stop ends within two seconds, whoever makes it and whether or not anybody still does. */
import {
  ActivityCancellationType,
  CancellationScope,
  CancelledFailure,
  patched,
  proxyActivities,
  proxyLocalActivities,
  sleep,
  workflowInfo,
} from "@temporalio/workflow";
import type {
  CallModelFailureDetails,
  ConversationActivities,
} from "../core/conversation/activity-contract.js";

/** A worker that lives answers a stop in a second at most: it beats every half, and is told with the answer to a beat. */
const GRACE = "1500 milliseconds";

/** Histories that were recorded before a stop did more than cancel its call replay as they were. */
const BOUNDED_PATCH = "bounded-stop";
/** And those of when a stop asked by a local activity. */
const STOP_PATCH = "stop-by-activity";

const HELP_OPTIONS = {
  scheduleToCloseTimeout: "1 second",
  retry: { maximumAttempts: 1 },
  cancellationType: ActivityCancellationType.ABANDON,
} as const;

type Helpers = Pick<ConversationActivities, "readSpent" | "tellStopped">;

/**
 * Not local ones: where a query comes while one runs, its result can stand in the history a workflow task earlier than the
 * workflow has seen it, and a replay cannot follow (decision 0030).
 */
const helpers = proxyActivities<Helpers>(HELP_OPTIONS);
const localHelpers = proxyLocalActivities<Helpers>(HELP_OPTIONS);

export class StoppableCall<Result> {
  readonly #scope = new CancellationScope();
  readonly #grace = new CancellationScope({ cancellable: true });
  readonly #result: Promise<Result>;
  #spent: CallModelFailureDetails | undefined;
  #stopping = false;
  #isUnheard = false;
  #abandon: (reason: CancelledFailure) => void = () => undefined;

  constructor(call: () => Promise<Result>) {
    const called = this.#scope.run(call);
    const abandoned = new Promise<never>((_resolve, reject) => {
      this.#abandon = reject;
    });
    this.#result = Promise.race([called, abandoned]);
  }

  /** Rejects with what the call failed with; with CancelledFailure where it was stopped and nobody answered. */
  async result(): Promise<Result> {
    try {
      return await this.#result;
    } finally {
      this.#grace.cancel();
    }
  }

  /** What the call had cost when it was stopped, for where its own failure does not say. */
  get spent(): CallModelFailureDetails | undefined {
    return this.#spent;
  }

  /** No activity will tell the readers of the turn's end. */
  endsUnheard(): void {
    this.#isUnheard = true;
  }

  /**
   * Tells the readers of a turn that has ended by a stop which nobody answered; every other end is told by the call. `lastAttempt` is
   * the turn's last one, where no call runs that would know.
   */
  tellReaders(turnId: string, lastAttempt = 1): void {
    if (!this.#isUnheard) return;
    const { workflowId } = workflowInfo();
    const attempt = this.#spent?.attempt ?? lastAttempt;
    const by = patched(STOP_PATCH) ? helpers : localHelpers;
    by.tellStopped({ conversation_id: workflowId, turn_id: turnId, attempt }).catch(() => undefined);
  }

  stop(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    const by = patched(STOP_PATCH) ? helpers : patched(BOUNDED_PATCH) ? localHelpers : undefined;
    if (by === undefined) this.#scope.cancel();
    else void CancellationScope.nonCancellable(() => this.#stop(by));
  }

  /**
   * First what has been spent: the server forgets it with the cancel of a call that waits for a retry. Then the cancel, and
   * then the end, also where the call's worker has died.
   */
  async #stop(by: Helpers): Promise<void> {
    const { workflowId, runId } = workflowInfo();
    try {
      this.#spent = (await by.readSpent({ conversation_id: workflowId, run_id: runId })) ?? undefined;
    } catch {
      // Then the record says what the call's own failure says.
    }
    this.#scope.cancel();
    try {
      await this.#grace.run(() => sleep(GRACE));
      this.endsUnheard();
      this.#abandon(new CancelledFailure("Nobody answered the stop."));
    } catch {
      // The call has ended.
    }
  }
}

/** Tells the workflows that asked how their turns ended. */
import { CancellationScope, condition, getExternalWorkflowHandle, log, patched } from "@temporalio/workflow";
import { isReplyAddress, knownReceipt } from "../core/conversation/admit.js";
import { isCheckpointed } from "../core/conversation/checkpoint.js";
import type { ReplyAddress, TurnView } from "../core/conversation/messages.js";
import { turnView } from "../core/conversation/views.js";
import { isJsonObject } from "../core/json.js";
import type { ConversationRun } from "./conversation-run.js";
import { causeText } from "./handler-failure.js";
import * as m from "./messages.js";

/** Most replies under way at once: the server fails the workflow task that would have it keep 2,000. */
const MOST_AT_ONCE = 50;
/** Histories that were recorded when each reply left at once, and one for each who had asked, replay as they were. */
const BOUND_PATCH = "replies-in-line";

export class TurnReplies {
  readonly #run: ConversationRun;
  /** By turn and address: how many replies are still to be sent. A refusal is not among them: its turn's id may yet become a turn. */
  readonly #unsent = new Map<string, number>();
  /** Who waits for one that is under way to be over. */
  readonly #line: (() => void)[] = [];
  #open = 0;
  #sending = 0;

  /** Turns that an earlier run has accepted are answered as well. */
  constructor(run: ConversationRun) {
    this.#run = run;
    const { running, head } = run.state;
    for (const { turn_id, reply_to } of running === null ? head.queue : [running, ...head.queue])
      this.promise(turn_id, reply_to);
  }

  /** One who asks again under the same turn id is told again; where many wait, once for all that was asked before it is told. */
  promise(turnId: string, address: ReplyAddress | undefined): void {
    if (address === undefined) return;
    const isKnown = knownReceipt(this.#run.state, turnId) !== undefined;
    const key = isKnown ? JSON.stringify([turnId, address.workflow_id]) : undefined;
    if (key !== undefined && this.#unsent.has(key) && isBounded(this.#open)) return;
    void this.#keep(turnId, address, key);
  }

  /** As `promise`, for what a signal brought: also one that was refused gets its answer, where it says to whom. */
  promiseSignalled(value: unknown): void {
    if (!isJsonObject(value) || !isReplyAddress(value.reply_to) || typeof value.turn_id !== "string") return;
    this.promise(value.turn_id, value.reply_to);
  }

  /** Resolves when everybody has been told. What has not left when a workflow ends never does. */
  async sent(): Promise<void> {
    await condition(() => this.#open === 0);
  }

  /** What is on its way would be lost with a run that ends; what is only promised is promised by the next run as well. */
  get isSending(): boolean {
    return this.#sending > 0;
  }

  async #keep(turnId: string, address: ReplyAddress, key: string | undefined): Promise<void> {
    this.#open++;
    this.#count(key, 1);
    try {
      await CancellationScope.nonCancellable(async () => {
        await condition(() => hasEnded(this.#run, turnId));
        const turn = this.#view(turnId);
        if (isBounded(this.#sending)) await new Promise<void>((resolve) => this.#line.push(resolve));
        else this.#sending++;
        this.#count(key, -1);
        const { conversation_id } = this.#run.state.head;
        await getExternalWorkflowHandle(address.workflow_id)
          .signal(m.turnEnded, { conversation_id, turn })
          .finally(() => this.#leave());
      });
    } catch (error) {
      log.warn("Nobody could be told how a turn ended.", {
        turn_id: turnId,
        reply_to: address.workflow_id,
        error: causeText(error),
      });
    } finally {
      this.#open--;
    }
  }

  /** The place of one that is over goes to the first in line. */
  #leave(): void {
    const next = this.#line.shift();
    if (next === undefined) this.#sending--;
    else next();
  }

  #count(key: string | undefined, more: 1 | -1): void {
    if (key === undefined) return;
    const unsent = (this.#unsent.get(key) ?? 0) + more;
    if (unsent === 0) this.#unsent.delete(key);
    else this.#unsent.set(key, unsent);
  }

  /** A message whose shape was refused left no turn; the refusal is the last one that was recorded. */
  #view(turnId: string): TurnView {
    const view = turnView(this.#run.state, turnId);
    if (view.state !== "unknown") return view;
    const { reason, error } = this.#run.state.head.refusals.at(-1) ?? {};
    return {
      turn_id: turnId,
      state: "refused",
      reason: reason ?? "invalid",
      error: error ?? "The message was refused.",
    };
  }
}

function isBounded(count: number): boolean {
  return count >= MOST_AT_ONCE && patched(BOUND_PATCH);
}

/** Ended or never begun, and the checkpoint written where one is set. Looked at in every activation, so it makes no view. */
export function hasEnded({ state }: ConversationRun, turnId: string): boolean {
  const turn = knownReceipt(state, turnId)?.state;
  return turn !== "queued" && turn !== "running" && isCheckpointed(state, turnId) !== null;
}

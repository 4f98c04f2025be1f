/** One run of a conversation: the state, what changes it, and the loop that takes turns from the queue one by one. */
import {
  allHandlersFinished,
  condition,
  log,
  proxyActivities,
  setCurrentDetails,
  upsertMemo,
  uuid4,
  workflowInfo,
} from "@temporalio/workflow";
import type { AgentSpec } from "../core/agent.js";
import type {
  CallModelFailureDetails,
  ConversationActivities,
  ConversionPreview,
} from "../core/conversation/activity-contract.js";
import { admit, isRefused, type Refused, submissionIssue } from "../core/conversation/admit.js";
import { approvalIssue, decide, type Verdict } from "../core/conversation/approvals.js";
import { cancelIssue } from "../core/conversation/cancel-issue.js";
import { checkpointEnded } from "../core/conversation/checkpoint.js";
import { movingText } from "../core/conversation/continue.js";
import type {
  ApproveRequest,
  CancelRequest,
  RebindRequest,
  Receipt,
  Submission,
} from "../core/conversation/messages.js";
import { servedRangesOf } from "../core/conversation/provenance.js";
import {
  conversionInput,
  crossesDialects,
  rebind,
  rebindConverted,
  rebindIssue,
  rebindShapeIssue,
  reboundAgent,
} from "../core/conversation/rebind.js";
import { withRefusal } from "../core/conversation/refusals.js";
import type { ConversationState } from "../core/conversation/state.js";
import { withHead } from "../core/conversation/state.js";
import {
  cancelQueued,
  interruptTurn,
  markCancelled,
  refuseSubmission,
  refuseTurn,
  startNextTurn,
} from "../core/conversation/turn.js";
import { CONVERT_OPTIONS, SHORT_OPTIONS } from "./activity-options.js";
import { answerTurn, OneTurn } from "./answer-turn.js";
import { currentDetails } from "./current-details.js";
import { causeText, handlerFailure } from "./handler-failure.js";
import { Move } from "./move.js";
import { StoppableCall } from "./stoppable-call.js";
import { StoppedBeforeCall } from "./stopped-before-call.js";
import { timestamp } from "./timestamp.js";
import { turnEndOf } from "./turn-failure.js";

export class ConversationRun {
  state: ConversationState;
  readonly id: string;
  closed = false;
  /** Why the last envelope was not kept, once the conversation is closed. */
  envelopeError: string | undefined;
  readonly move: Move = new Move();
  #call: StoppableCall<void> | undefined;
  #rebinding = false;

  constructor(state: ConversationState) {
    this.id = state.head.conversation_id;
    this.state = state;
  }

  get isMoving(): boolean {
    return this.move.isUnderWay;
  }

  park(): void {
    this.move.park();
  }

  /** Takes turns until the conversation is closed and its queue has drained. */
  async drive(): Promise<void> {
    // What the run before this one has handed over.
    if (this.state.running !== null) await this.#takeTurn();
    for (;;) {
      this.describe();
      // Not by a condition where there is work: it would be seen only after the messages of the same workflow task.
      while (!this.#hasWork()) await condition(() => this.#hasWork());
      if (this.#isMoveDue()) await this.move.make(() => this.state);
      if (this.state.head.queue.length === 0) break;
      await this.#takeTurn();
    }
    this.envelopeError = await this.#keepEnvelope();
    this.closed = true;
    await condition(allHandlersFinished);
  }

  /** Ends the run where it is due in the middle of a turn, of which nothing is left but to wait for somebody's word. */
  async moveWhileParked(): Promise<void> {
    while (!this.closed) {
      await condition(() => this.closed || this.move.isDueWithin(this.state));
      // In between somebody may have said it.
      if (this.move.isDueWithin(this.state)) await this.move.make(() => this.state);
    }
  }

  #hasWork(): boolean {
    const { queue, closing } = this.state.head;
    return !this.#rebinding && (queue.length > 0 || closing || this.#isMoveDue());
  }

  /** What closes at once needs no further run. */
  #isMoveDue(): boolean {
    const { queue, closing } = this.state.head;
    return (queue.length > 0 || !closing) && this.move.isDue(this.state);
  }

  /** What keeps a submission from being accepted now; nothing changes. */
  refusalOf(value: unknown): Refused | undefined {
    const issue = submissionIssue(value);
    if (issue !== undefined) return { refused: "invalid", error: issue };
    if (this.move.isUnderWay) return { refused: "moving", error: movingText(this.id) };
    const turnId = (value as Submission).turn_id ?? "";
    const outcome = admit(this.state, value as Submission, { now: "", turnId });
    return isRefused(outcome) ? outcome : undefined;
  }

  submit(value: unknown): Receipt | Refused {
    const issue = submissionIssue(value);
    if (issue !== undefined) return { refused: "invalid", error: issue };
    const submission = value as Submission;
    const outcome = admit(this.state, submission, {
      now: timestamp(),
      turnId: submission.turn_id ?? uuid4(),
    });
    if (isRefused(outcome)) return outcome;
    this.state = outcome.state;
    if (outcome.interrupts) this.#stop("Interrupted by a newer message.");
    return outcome.receipt;
  }

  /** As `submit`, for a signal: nobody hears of its refusal but by query. */
  submitSignalled(value: unknown): void {
    const outcome = this.submit(value);
    if (!isRefused(outcome)) return;
    this.recordRefusal("submit_turn", outcome.refused, outcome.error);
    if (outcome.refused === "invalid") return;
    const turnId = (value as Submission).turn_id;
    if (turnId !== undefined)
      this.state = refuseSubmission(this.state, turnId, outcome.refused, outcome.error);
  }

  cancel(request: unknown): string | undefined {
    const malformed = cancelIssue(request);
    if (malformed !== undefined) return malformed;
    const { turn_id: turnId, reason } = (request ?? {}) as CancelRequest;
    const why = reason !== undefined && reason !== "" ? reason.slice(0, 500) : "Cancelled by request.";
    const running = this.state.running?.turn_id;
    if (turnId === undefined ? running !== undefined : turnId === running) {
      this.#stop(why);
      return undefined;
    }
    const changed = turnId === undefined ? this.state : cancelQueued(this.state, turnId, timestamp(), why);
    if (changed === this.state)
      return turnId === undefined
        ? "No turn is running."
        : `No turn ${turnId.slice(0, 200)} is running or waiting.`;
    this.state = changed;
    return undefined;
  }

  close(): void {
    if (!this.state.head.closing) this.state = withHead(this.state, { closing: true });
  }

  /** Takes somebody's word on a tool call, or says in one line why it cannot. */
  decide(verdict: Verdict, request: ApproveRequest): string | undefined {
    const issue = approvalIssue(this.state, verdict, request);
    if (issue === undefined) this.state = decide(this.state, verdict, request, timestamp());
    return issue;
  }

  /** Temporal's own cancel: the turn stops, then the conversation closes. What waits is cancelled. */
  shutDown(): void {
    for (const waiting of this.state.head.queue) {
      this.state = cancelQueued(this.state, waiting.turn_id, timestamp(), "The conversation was cancelled.");
    }
    this.#stop("The conversation was cancelled.");
    this.close();
  }

  /** Why a rebind is refused now, in one line. */
  rebindRefusal(request: unknown): string | undefined {
    const issue = rebindShapeIssue(this.state.head.agent, request) ?? rebindIssue(this.state);
    if (issue !== undefined || !this.#rebinding) return issue;
    return `Conversation ${this.state.head.conversation_id} is being rebound already: wait until that has ended.`;
  }

  /** While it lasts no turn is started; what is submitted waits. */
  async rebind(request: RebindRequest): Promise<void> {
    const { agent: current, model } = this.state.head;
    const agent = reboundAgent(current, request.agent);
    this.#rebinding = true;
    try {
      const crosses = crossesDialects(this.state, agent.model);
      await (crosses ? this.#rebindAcross(agent, request) : this.#rebindWithin(agent));
    } finally {
      this.#rebinding = false;
    }
    upsertMemo({ provider: this.state.head.provider, model: this.state.head.model });
    log.info(`The conversation continues on ${agent.model}.`, { from: model });
    this.describe();
  }

  /** What a rebind to another dialect would not carry over. Nothing changes. */
  preview(request: RebindRequest): Promise<ConversionPreview> {
    const activities = proxyActivities<ConversationActivities>(CONVERT_OPTIONS);
    return activities.previewConversion(conversionInput(this.state, request, workflowInfo().runId));
  }

  async #rebindWithin(agent: AgentSpec): Promise<void> {
    const { system } = this.state.head;
    const served = servedRangesOf(this.state, agent.model);
    const activities = proxyActivities<ConversationActivities>(SHORT_OPTIONS);
    const resolved = await activities.resolveAgent({ agent, system, served });
    this.#assertOpen();
    this.state = rebind(this.state, agent, resolved, timestamp());
  }

  async #rebindAcross(agent: AgentSpec, request: RebindRequest): Promise<void> {
    const activities = proxyActivities<ConversationActivities>({
      ...CONVERT_OPTIONS,
      summary: `to ${agent.model}`,
    });
    const input = conversionInput(this.state, request, workflowInfo().runId);
    const converted = await activities.convertConversation(input);
    this.#assertOpen();
    this.state = rebindConverted(this.state, agent, converted, timestamp());
    this.move.force();
    const lost = converted.report.filter(({ kind }) => kind === "dropped").length;
    if (lost > 0)
      log.warn(
        `The conversion from ${converted.converted_from} dropped ${lost} parts; conversion_report names them.`,
      );
  }

  /** It may have been closed while the worker was asked. */
  #assertOpen(): void {
    const issue = this.state.head.closing ? rebindIssue(this.state) : undefined;
    if (issue !== undefined) throw handlerFailure("RebindRefusedError", issue);
  }

  recordRefusal(name: string, reason: string, error: string): void {
    this.state = withRefusal(this.state, { at: timestamp(), name, reason, error });
  }

  async #takeTurn(): Promise<void> {
    this.state = startNextTurn(this.state, timestamp());
    const running = this.state.running;
    if (running === null) return;
    this.describe();
    await this.#answer(running.turn_id);
    if (this.state.head.checkpoint !== null) await this.#checkpoint(running.turn_id);
  }

  async #answer(turnId: string): Promise<void> {
    const call = new StoppableCall(() => answerTurn(new OneTurn(this, turnId)));
    this.#call = call;
    // It was stopped while the run before this one ended.
    if (this.state.running?.cancelled != null) call.endsUnheard();
    try {
      await call.result();
    } catch (error) {
      const attempt = this.state.running?.calls.at(-1)?.attempt;
      if (error instanceof StoppedBeforeCall) call.endsUnheard();
      this.#end(error, call.spent);
      if (this.state.head.checkpoint === null) call.tellReaders(turnId, attempt);
    } finally {
      this.#call = undefined;
    }
  }

  #end(error: unknown, spent: CallModelFailureDetails | undefined): void {
    const running = this.state.running;
    if (running === null) return;
    const end = turnEndOf(error, running, spent);
    // Once the model has answered, the turn has a record and has cost something.
    if ("refused" in end && running.calls.length > 0) {
      const failure = { error_type: `turn.${end.refused}`, error: end.error };
      this.state = interruptTurn(this.state, failure, timestamp());
    } else if ("refused" in end) this.state = refuseTurn(this.state, end.refused, end.error);
    else this.state = interruptTurn(this.state, end, timestamp());
  }

  #stop(reason: string): void {
    if (this.move.isParked(this.state)) this.#call?.endsUnheard();
    this.state = markCancelled(this.state, reason);
    // Nothing runs that would have to be stopped: the next run ends the turn.
    if (!this.move.isUnderWay) this.#call?.stop();
  }

  async #checkpoint(turnId: string): Promise<void> {
    const { checkpoint, conversation_id } = this.state.head;
    if (checkpoint === null) return;
    const summary = `checkpoint after turn ${turnId}`;
    try {
      const input = { conversation_id, run_id: workflowInfo().runId, path: checkpoint.path, turn_id: turnId };
      const { run_count } = await proxyActivities<ConversationActivities>({
        ...SHORT_OPTIONS,
        summary,
      }).checkpoint(input);
      this.state = checkpointEnded(this.state, { run_count });
    } catch (error) {
      const text = causeText(error);
      log.warn("A checkpoint was not written; the turn stays committed.", {
        path: checkpoint.path,
        error: text,
      });
      this.state = checkpointEnded(this.state, { error: text });
    }
  }

  async #keepEnvelope(): Promise<string | undefined> {
    const { conversation_id } = this.state.head;
    try {
      const input = { conversation_id, run_id: workflowInfo().runId };
      await proxyActivities<ConversationActivities>({
        ...SHORT_OPTIONS,
        summary: "last envelope",
      }).keepEnvelope(input);
      return undefined;
    } catch (error) {
      const text = causeText(error);
      log.warn("The last envelope was not kept; the conversation closes all the same.", { error: text });
      return text;
    }
  }

  describe(): void {
    setCurrentDetails(currentDetails(this.state));
  }
}

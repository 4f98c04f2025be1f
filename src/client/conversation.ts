/** A handle on one conversation. It holds nothing of it: any number of handles, in any number of processes, are equal. */
import { resolve } from "node:path";
import type { WorkflowHandle } from "@temporalio/client";
import { writeEnvelopeFile } from "../connection/checkpoint-file.js";
import { leaveStickyQueue } from "../connection/leave-sticky-queue.js";
import { nativeSha256 } from "../connection/native-sha256.js";
import type { Agent } from "../core/agent.js";
import type { ConversionPreview } from "../core/conversation/activity-contract.js";
import type { Frame } from "../core/conversation/frame.js";
import type { ConversationDescription, ConversationStatus } from "../core/conversation/messages.js";
import type {
  ConversionReportEntry,
  Envelope,
  EnvelopeMetadata,
  InterruptedTurn,
  MediaReportEntry,
  NativeMessage,
  PersistenceReport,
  PrefixChangeReport,
} from "../core/envelope/envelope.js";
import { serialiseEnvelope } from "../core/envelope/serialise-envelope.js";
import { NoWorkerError, RebindRefusedError, UsageError } from "../core/errors/errors.js";
import { addedEntries } from "../core/media/media-report.js";
import type { OutputData, OutputOption } from "../core/output-schema.js";
import type { DialectName } from "../core/providers.js";
import * as m from "../workflows/messages.js";
import { acceptTurn, whileAccepted } from "./accept-turn.js";
import { attaching } from "./attaching.js";
import { callConversation } from "./call-conversation.js";
import type { ClientContext } from "./client-context.js";
import { closeConversation } from "./close-conversation.js";
import type {
  CloseResult,
  ConversationStreamOptions,
  ExportOptions,
  ForkOptions,
  ReportOptions,
  ResendOptions,
  RunOptions,
  SaveOptions,
  SubmitOptions,
} from "./conversation-options.js";
import type { ConversationQueries } from "./conversation-queries.js";
import { type ApproveOptions, type DenyOptions, decideCall, decisionRequest } from "./decide-call.js";
import { followTurns } from "./follow-turns.js";
import { assertOptionsOf } from "./option-names.js";
import { type PreviewOptions, type RebindOptions, rebindRequest } from "./rebind-request.js";
import type { RunResult } from "./run-result.js";
import { reportRequest, saveEnvelope } from "./save-envelope.js";
import { signalConversation } from "./signal-conversation.js";
import { newSubmission, sentAgain, type TurnSubmission } from "./submission.js";
import { Turn, type WaitOptions } from "./turn.js";
import { turnIdOf } from "./turn-id.js";
import { unlessClosed } from "./was-closed.js";

type Context = ClientContext<Conversation>;

export class Conversation<Data = unknown> {
  readonly id: string;
  readonly #context: Context;
  readonly #queries: ConversationQueries;
  /** Of the agent with which this handle began: its own schema has what its JSON Schema cannot say. */
  #output: OutputOption | undefined;
  #lastTurnId: string | undefined;
  #saved: readonly MediaReportEntry[] = [];

  constructor(context: Context, id: string, queries: ConversationQueries, output?: OutputOption) {
    this.id = id;
    this.#context = context;
    this.#queries = queries;
    this.#output = output;
  }

  /**
   * Sends a message and waits for the answer. The turn survives this process: its id, or a later look, finds it again. Without
   * a worker the message waits at the server; the NoWorkerError names its turn.
   *
   * @throws UsageError (empty message, unreadable file), TurnRefusedError, TurnInterruptedError, NoWorkerError, ServerUnreachableError;
   * OutputParseError, with the committed turn, where the schema of `output` does not take the answer
   */
  async run<Output extends OutputOption | undefined = undefined>(
    message: string,
    options: RunOptions<Output> = {},
  ): Promise<RunResult<OutputData<Output, Data>>> {
    assertOptionsOf("run", options);
    const submission = await newSubmission(attaching(this.#context, this.#queries), message, options);
    return this.#answer(submission, options, options.output ?? this.#output);
  }

  /** Sends a message and returns once it is accepted durably. Without a worker it waits at the server, and a warning says so. */
  async submit<Output extends OutputOption | undefined = undefined>(
    message: string,
    options: SubmitOptions<Output> = {},
  ): Promise<Turn<OutputData<Output, Data>>> {
    assertOptionsOf("submit", options);
    const submission = await newSubmission(attaching(this.#context, this.#queries), message, options);
    const output = options.output ?? this.#output;
    try {
      return await this.#accept(submission, output);
    } catch (error) {
      // Without the turn's id the server does not have the message either.
      if (!(error instanceof NoWorkerError && error.turnId !== undefined)) throw error;
      this.#context.logger.warn(error.message, { conversation_id: this.id });
      return this.#turn(submission.turn_id, output);
    }
  }

  /** The turn of an id. @throws UsageError for one that no turn can have */
  turn(turnId: string): Turn {
    return this.#turn(turnIdOf(turnId));
  }

  /** The frames of a turn: the one named, or of `from`, else the one that runs, else the last one submitted through this handle. */
  async *stream(options: ConversationStreamOptions = {}): AsyncGenerator<Frame, void, undefined> {
    assertOptionsOf("stream", options);
    const { turnId: named, ...reading } = options;
    const turnId = named ?? reading.from?.turn ?? (await this.status()).running ?? this.#lastTurnId;
    if (turnId !== undefined) yield* this.turn(turnId).stream(reading);
  }

  /** The turns as they begin, the one that runs first, until the conversation is closed or the abort. */
  async *turns(options: WaitOptions = {}): AsyncGenerator<Turn, void, undefined> {
    assertOptionsOf("turns", options);
    const { frames: source } = this.#context;
    const status = (): Promise<ConversationStatus> => this.status();
    const following = { source, conversationId: this.id, status, signal: options.signal };
    for await (const turnId of followTurns(following)) yield this.#turn(turnId);
  }

  /** Stops a turn: the one named, else the one that runs. It ends interrupted. */
  async cancel(turnId?: string, reason?: string): Promise<void> {
    const request = {
      ...(turnId === undefined ? {} : { turn_id: turnId }),
      ...(reason === undefined ? {} : { reason }),
    };
    await this.#signal(async (handle) => {
      await leaveStickyQueue(this.#context.client, this.id);
      await handle.signal(m.cancelTurn, request);
    });
  }

  /** Lets a tool call run that waits for it: its number in `status`, or its id. @throws UsageError for one that does not wait. */
  async approve(call: number | string, options: ApproveOptions = {}): Promise<void> {
    const request = decisionRequest("approve", call, options);
    await decideCall(this.#context, "approve", await this.status(), request);
  }

  /** Keeps a tool call from running that waits for approval; the model is told. @throws as `approve` does. */
  async deny(call: number | string, options: DenyOptions = {}): Promise<void> {
    const request = decisionRequest("deny", call, options);
    await decideCall(this.#context, "deny", await this.status(), request);
  }

  /**
   * Sends the message of the interrupted turn again, under a new turn id, with the files and the schema that it had.
   *
   * @throws UsageError when the last turn was not interrupted, or when a file of it is no longer in the working store.
   */
  async resend<Output extends OutputOption | undefined = undefined>(
    options: ResendOptions<Output> = {},
  ): Promise<RunResult<OutputData<Output>>> {
    assertOptionsOf("resend", options);
    const record = await this.interruptedTurn();
    if (record === null)
      throw new UsageError(`Conversation ${this.id} has no interrupted turn to send again.`);
    const submission = await sentAgain(attaching(this.#context, this.#queries), record, options);
    const own = record.output_schema === undefined ? this.#output : undefined;
    return this.#answer(submission, options, options.output ?? own);
  }

  /**
   * Continues the conversation on another agent or model, in place; a model's name alone keeps the rest of the agent.
   *
   * @throws RebindRefusedError while a turn runs or waits; SessionCompatibilityError when the history cannot be converted, or
   * must not be; MissingKeyError when the worker cannot call the model; UsageError for an unknown model.
   */
  async rebind(agent: Agent | string, options: RebindOptions = {}): Promise<void> {
    assertOptionsOf("rebind", options);
    const request = rebindRequest(agent, options, this.#context);
    if (options.wait === false) {
      await this.#signal((handle) => handle.signal(m.rebindSignal, request));
      if (typeof agent !== "string") this.#output = agent.output;
      return;
    }
    await this.#settled();
    const handle = this.#context.client.workflow.getHandle(this.id);
    const rebinding = callConversation(this.#context, this.id, () =>
      handle.executeUpdate(m.rebindUpdate, { args: [request] }),
    );
    await unlessClosed(this.#context, this.id, rebinding, (message) => new RebindRefusedError(message));
    if (typeof agent !== "string") this.#output = agent.output;
  }

  /**
   * What a rebind would not carry over, and how large the history would be; nothing is changed.
   *
   * @throws SessionCompatibilityError when the history cannot be converted, or must not be; MissingKeyError, UsageError
   */
  async previewRebind(agent: Agent | string, options: PreviewOptions = {}): Promise<ConversionPreview> {
    assertOptionsOf("previewRebind", options);
    const request = rebindRequest(agent, options, this.#context);
    const handle = this.#context.client.workflow.getHandle(this.id);
    const previewing = callConversation(this.#context, this.id, () =>
      handle.executeUpdate(m.previewRebind, { args: [request] }),
    );
    return unlessClosed(this.#context, this.id, previewing, (message) => new RebindRefusedError(message));
  }

  /**
   * The envelope as text: compact JSON, keys in order, a newline at the end. With `path` it is written there as well.
   *
   * @throws what `toEnvelope` throws; UsageError for a file that holds what would be lost.
   */
  async toJson(options: ExportOptions = {}): Promise<string> {
    assertOptionsOf("toJson", options);
    const { path, overwrite = false, ...save } = options;
    const envelope = await this.toEnvelope(save);
    if (path === undefined) return serialiseEnvelope(envelope, nativeSha256());
    return writeEnvelopeFile(resolve(this.#context.cwd, path), envelope, { overwrite });
  }

  /**
   * The envelope: every committed turn, media as the policy has them, sealed with its checksum.
   *
   * @throws UsageError where media shall be externalized and no store is named; MediaStoreUnavailableError
   */
  async toEnvelope(options: SaveOptions = {}): Promise<Envelope> {
    assertOptionsOf("toEnvelope", options);
    const { envelope, report } = await saveEnvelope(this.#context, await this.inspect(), options);
    this.#saved = [...this.#saved, ...addedEntries(this.#saved, report)];
    return envelope;
  }

  /** The conversation as it stands, media as markers and without a checksum: for looking at it, not for a file. */
  inspect(): Promise<Envelope> {
    return this.#queries.envelope(new Date().toISOString());
  }

  /**
   * A new conversation with the first turns of this one, which goes on as it was.
   *
   * @throws UsageError for a turn that is not there, SessionCompatibilityError, ConversationExistsError
   */
  async fork(options: ForkOptions): Promise<Conversation> {
    assertOptionsOf("fork", options);
    const envelope = await this.inspect();
    return this.#context.fork({ envelope, migratedFrom: envelope.schema_version }, options);
  }

  status(): Promise<ConversationStatus> {
    return this.#queries.status();
  }

  describe(): Promise<ConversationDescription> {
    return this.#queries.describe();
  }

  /** What a save would write: its size to the byte, and its media. Under the agent's policy, or as the save is told. */
  async persistenceReport(options: ReportOptions = {}): Promise<PersistenceReport> {
    assertOptionsOf("persistenceReport", options);
    return this.#queries.persistenceReport(reportRequest(this.#context, options));
  }

  async messages(
    range: { readonly from?: number; readonly limit?: number } = {},
  ): Promise<readonly NativeMessage[]> {
    assertOptionsOf("messages", range);
    return this.#queries.messages(range);
  }

  /** The record of the last turn where it failed, else null. */
  interruptedTurn(): Promise<InterruptedTurn | null> {
    return this.#queries.interruptedTurn();
  }

  conversionReport(): Promise<readonly ConversionReportEntry[]> {
    return this.#queries.conversionReport();
  }

  /** What happened to attachments: in the restore and the turns, and in the saves through this handle. */
  async mediaReport(): Promise<readonly MediaReportEntry[]> {
    const known = await this.#queries.mediaReport();
    return [...known, ...addedEntries(known, this.#saved)];
  }

  async metadata(): Promise<EnvelopeMetadata> {
    return (await this.describe()).metadata;
  }

  async convertedFrom(): Promise<DialectName | null> {
    return (await this.describe()).converted_from;
  }

  async prefixChangeReport(): Promise<PrefixChangeReport | null> {
    return (await this.describe()).prefix_change_report;
  }

  async prefixChangedOnResume(): Promise<boolean> {
    return (await this.prefixChangeReport()) !== null;
  }

  async restoredFromSchemaVersion(): Promise<number | null> {
    return (await this.status()).restored_from_schema_version;
  }

  /**
   * Closes the conversation once its queue has drained, and waits for that. Its last envelope stays readable; one that is
   * closed already stays as it is. Where the worker could not keep the envelope, the result and a warning in the log say why.
   */
  async close(): Promise<CloseResult> {
    return closeConversation(this.#context, this.id, () => this.#signal((open) => open.signal(m.close)));
  }

  /**
   * The end frame of a turn, with which `run` resolves, comes before the conversation has handled it; an update that came
   * together with it would find the turn still running. A query is answered only after.
   */
  async #settled(): Promise<void> {
    await this.#queries.status();
  }

  async #answer<Value>(
    submission: TurnSubmission,
    { onAccepted, signal }: Pick<RunOptions, "onAccepted" | "signal">,
    output: OutputOption | undefined,
  ): Promise<RunResult<Value>> {
    const turn = await this.#accept<Value>(submission, output);
    onAccepted?.(turn);
    return turn.result(signal === undefined ? {} : { signal }).catch((error: unknown) => {
      throw whileAccepted(error, turn.turnId);
    });
  }

  #turn<Value>(turnId: string, output?: OutputOption): Turn<Value> {
    return new Turn<Value>(this.#context, this.#queries, { conversationId: this.id, turnId }, output);
  }

  async #accept<Value>(submission: TurnSubmission, output: OutputOption | undefined): Promise<Turn<Value>> {
    if (submission.on_busy === "reject") await this.#settled();
    await acceptTurn(this.#context, this.id, submission);
    this.#lastTurnId = submission.turn_id;
    return this.#turn(submission.turn_id, output);
  }

  #signal(send: (handle: WorkflowHandle) => Promise<void>): Promise<void> {
    return signalConversation(this.#context, this.id, send);
  }
}

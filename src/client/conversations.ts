/** The way in: connects to a Temporal server, and starts, opens, lists, restores and deletes conversations. */
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from "@temporalio/client";
import { ClosedConversations } from "../connection/closed-conversations.js";
import { conversionAllowed } from "../connection/conversion-switch.js";
import { namedStores, openMediaStore } from "../connection/open-media-store.js";
import { openPayloadStore } from "../connection/open-payload-store.js";
import { resolveSettings, resolveSettingsBeside, type Settings } from "../connection/settings.js";
import { WarningLogger } from "../connection/warning-logger.js";
import type { Agent } from "../core/agent.js";
import type { FrameSource } from "../core/conversation/frame.js";
import { WORKFLOW_TYPE } from "../core/conversation/messages.js";
import { freshState } from "../core/conversation/restore.js";
import type { ConversationState } from "../core/conversation/state.js";
import { prefixOf } from "../core/envelope/fingerprint.js";
import { forkEnvelope } from "../core/envelope/fork-envelope.js";
import { readEnvelope } from "../core/envelope/parse-envelope.js";
import type { ParsedEnvelope } from "../core/envelope/read-envelope.js";
import type { OutputData, OutputOption } from "../core/output-schema.js";
import { assertFree, assertNotClosed } from "./assert-free.js";
import type { ClientContext } from "./client-context.js";
import { closedState } from "./closed-state.js";
import { collectGarbage, type GarbageOptions, type GarbageReport } from "./collect-garbage.js";
import type { ConnectOptions } from "./connect-options.js";
import { connectClient } from "./connect-server.js";
import { Conversation } from "./conversation.js";
import { conversationId, existsError } from "./conversation-id.js";
import type {
  ForkOptions,
  ForkSource,
  HistoryOptions,
  IfExists,
  RestoreOptions,
  StartOptions,
} from "./conversation-options.js";
import { ClosedQueries, LiveQueries } from "./conversation-queries.js";
import { ConversationSlots, QUERIES_AT_ONCE, UPDATES_AT_ONCE } from "./conversation-slots.js";
import { type DeletedConversation, deleteConversation } from "./delete-conversation.js";
import { envelopeFromMessages } from "./envelope-from-messages.js";
import { frameSourceOf } from "./frame-source-of.js";
import { isRunning } from "./is-running.js";
import { type ConversationSummary, type ListOptions, listConversations } from "./list-conversations.js";
import { logRestore } from "./log-restore.js";
import { assertAgent, assertOptionsOf, checkpointPath } from "./option-names.js";
import { isEnvelopePath, readEnvelopeText } from "./read-envelope-text.js";
import { restoreConversation } from "./restore-conversation.js";
import { placedAgent, storeAsked } from "./save-envelope.js";
import { type ConversationStart, DeferredStart, startOptions } from "./start-workflow.js";
import { notFound, unwrapFailure } from "./unwrap-failure.js";

export type { DeletedConversation } from "./delete-conversation.js";

interface Surroundings extends Pick<ClientContext, "cwd" | "stores" | "logger"> {
  readonly env: NodeJS.ProcessEnv;
  readonly client?: Client | undefined;
  readonly frames?: FrameSource | undefined;
}

export class Conversations implements AsyncDisposable {
  readonly #context: ClientContext<Conversation>;
  readonly #close: () => Promise<void>;

  private constructor(context: ClientContext<Conversation>, close: () => Promise<void>) {
    this.#context = context;
    this.#close = close;
  }

  /**
   * Connects: as told, else by TEMPORAL_* and the config profile, else to the `holdfast dev` of this folder or a parent.
   *
   * @throws ServerUnreachableError with the remedy.
   */
  static async connect(options: ConnectOptions = {}): Promise<Conversations> {
    assertOptionsOf("connect", options);
    const env = options.env ?? process.env;
    const cwd = resolve(options.cwd ?? process.cwd());
    const stores = namedStores(options.stores);
    const surroundings = { cwd, env, stores, logger: options.logger ?? new WarningLogger() };
    if (options.embedded === true) {
      const { startEmbedded } = await import("./embedded.js");
      const embedded = await startEmbedded({ ...options, env, cwd });
      const frames = options.frames ?? embedded.frames;
      return Conversations.#over(embedded.settings, { ...surroundings, frames }, embedded.stop);
    }
    const { client, frames } = options;
    const settings =
      client === undefined
        ? resolveSettings({ env, cwd, options })
        : resolveSettingsBeside({ env, cwd, options }, client.options.namespace);
    return Conversations.#over(settings, { ...surroundings, client, frames }, async () => undefined);
  }

  static async #over(
    settings: Settings,
    { env, client: given, frames, ...surroundings }: Surroundings,
    stop: () => Promise<void>,
  ): Promise<Conversations> {
    const mediaStore = openMediaStore(settings.mediaStore);
    const payloadStore = openPayloadStore(settings);
    const { client, close } = await connectClient(settings, payloadStore, given).catch(
      async (error: unknown) => {
        await stop();
        throw error;
      },
    );
    const closed = new ClosedConversations(mediaStore, settings.mediaStore);
    const conversations: Conversations = new Conversations(
      {
        fork: (parsed, options) => conversations.#fork(parsed, options),
        client,
        settings,
        mediaStore,
        closed,
        starting: undefined,
        frames: frames ?? frameSourceOf(settings, surroundings.cwd),
        convert: conversionAllowed(env),
        updates: new ConversationSlots(UPDATES_AT_ONCE),
        queries: new ConversationSlots(QUERIES_AT_ONCE),
        ...surroundings,
      },
      async () => {
        await close();
        await stop();
      },
    );
    return conversations;
  }

  /** What was connected to. */
  get settings(): Settings {
    return this.#context.settings;
  }

  /** Temporal's own client on this connection, for what Holdfast does not wrap. */
  get temporal(): Client {
    return this.#context.client;
  }

  /**
   * Starts a conversation.
   *
   * With `ifExists: "open"` the conversation of that id goes on as it is; where there is none, the first use starts it: a
   * turn in the same call to the server as the turn's own.
   *
   * @throws ConversationExistsError when the id is taken, also by a closed one, unless `ifExists` says otherwise.
   */
  async start<Output extends OutputOption | undefined>(
    agent: Agent<Output>,
    options: StartOptions = {},
  ): Promise<Conversation<OutputData<Output>>> {
    assertAgent(agent);
    assertOptionsOf("start", options);
    const id = conversationId(options.id ?? randomUUID());
    const spec = placedAgent(this.#context, agent.spec);
    const state = freshState({ ...this.#startContext(id, options), agent: spec, prefix: prefixOf(spec) });
    return this.#begin(state, options.ifExists ?? "error", false, agent.output);
  }

  /** The conversation of an id, open or closed. @throws ConversationNotFoundError */
  async open(id: string): Promise<Conversation> {
    const running = await this.#isRunning(conversationId(id));
    if (running === true) return this.#live(id);
    const envelope = await this.#context.closed.open(id);
    if (envelope !== undefined) {
      const state = await closedState(envelope, this.#context.mediaStore);
      return new Conversation(this.#context, id, new ClosedQueries(state));
    }
    if (running === undefined) throw notFound(id);
    return this.#live(id);
  }

  /** The conversations that are open, or those that were closed. */
  async list(options: ListOptions = {}): Promise<readonly ConversationSummary[]> {
    assertOptionsOf("list", options);
    return listConversations(this.#context, options);
  }

  /**
   * A new conversation from an envelope: the path of its file, or its text. The file is not touched.
   *
   * @throws EnvelopeDamagedError, EnvelopeFromFutureError, InvalidHistoryError, SessionCompatibilityError,
   * ConversationExistsError; nothing has been started then.
   */
  async fromJson(pathOrText: string, options: RestoreOptions = {}): Promise<Conversation> {
    assertOptionsOf("fromJson", options);
    return this.#restore(await readEnvelopeText(pathOrText, this.#context.cwd, options.id), options);
  }

  /** As `fromJson`, from the parsed document. */
  async fromEnvelope(envelope: unknown, options: RestoreOptions = {}): Promise<Conversation> {
    assertOptionsOf("fromEnvelope", options);
    const context = {
      now: new Date().toISOString(),
      ...(options.id === undefined ? {} : { conversationId: options.id }),
    };
    return this.#restore(readEnvelope(envelope, context), options);
  }

  /**
   * A new conversation from a history that comes from elsewhere: a list of native messages, or the object that has the
   * system text beside it. Under an agent of another dialect it is converted.
   *
   * @throws InvalidHistoryError for what is no history of that dialect, SessionCompatibilityError, ConversationExistsError;
   * nothing has been started then.
   */
  async fromMessages(list: unknown, options: HistoryOptions): Promise<Conversation> {
    assertOptionsOf("fromMessages", options ?? {});
    const id = options?.id ?? randomUUID();
    const now = new Date().toISOString();
    const envelope = envelopeFromMessages(list, options, { conversationId: id, now });
    return this.#restore({ envelope, migratedFrom: envelope.schema_version }, { ...options, id });
  }

  /**
   * A new conversation with the first turns of another one, or of an envelope; that one is not touched. A text that is
   * written like a path (`checkpoints/review.json`), or is that of a file which is there, names an envelope.
   *
   * @throws UsageError for a turn that is not there; ConversationNotFoundError, and what `fromJson` throws
   */
  async fork(source: ForkSource, options: ForkOptions): Promise<Conversation> {
    assertOptionsOf("fork", options);
    return this.#fork(await this.#forkable(source), options);
  }

  async #forkable(source: ForkSource): Promise<ParsedEnvelope> {
    if (typeof source !== "string") return readEnvelope(source, { now: new Date().toISOString() });
    const { cwd } = this.#context;
    if (isEnvelopePath(source, cwd)) return readEnvelopeText(source, cwd);
    const envelope = await (await this.open(source)).inspect();
    return { envelope, migratedFrom: envelope.schema_version };
  }

  async #fork({ envelope, migratedFrom }: ParsedEnvelope, options: ForkOptions): Promise<Conversation> {
    const forked = forkEnvelope(envelope, options.at);
    return this.#restore({ envelope: forked, migratedFrom }, { ...options, id: options.id ?? randomUUID() });
  }

  /**
   * The blobs of the working store, or of another, that nothing needs any more; with `delete` they are deleted.
   *
   * @throws UsageError; what reading an envelope or a conversation throws, and then nothing has been deleted.
   */
  gc(options: GarbageOptions = {}): Promise<GarbageReport> {
    return collectGarbage(this.#context, options);
  }

  /**
   * Deletes a closed conversation: its last envelope, and its runs on the server where that still has them, which may take a
   * minute. Its files are garbage then; external payloads stay.
   *
   * @throws UsageError for one that is open, ConversationNotFoundError
   */
  delete(id: string): Promise<DeletedConversation> {
    return deleteConversation(this.#context, conversationId(id));
  }

  async close(): Promise<void> {
    await this.#close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #restore(parsed: ParsedEnvelope, options: RestoreOptions): Promise<Conversation> {
    const { envelope } = parsed;
    const id = conversationId(
      options.id ?? (envelope.conversation_id === "" ? randomUUID() : envelope.conversation_id),
    );
    const ifExists = options.ifExists ?? "error";
    if (ifExists === "error") await assertFree(this.#context, id);
    const { now, checkpoint } = this.#startContext(id, options);
    const { mediaStore, stores, convert } = this.#context;
    const from = storeAsked(this.#context, options.mediaStore);
    const state = await restoreConversation(parsed, {
      agent: options.agent,
      conversationId: id,
      mediaStore,
      stores,
      ...(from === undefined ? {} : { from }),
      preserveMedia: options.preserveMedia ?? false,
      checkpoint,
      now,
      convert: options.convert ?? convert,
      place: (spec) => placedAgent(this.#context, spec),
    });
    logRestore(this.#context.logger, state);
    return this.#begin(state, ifExists, true, options.agent?.output);
  }

  #startContext(id: string, options: { readonly checkpoint?: { readonly path: string } }) {
    const path = checkpointPath(options.checkpoint);
    const checkpoint =
      path === undefined
        ? null
        : { path: resolve(this.#context.cwd, path), run_count: null, turn_id: null, error: null };
    return { conversationId: id, now: new Date().toISOString(), checkpoint };
  }

  async #begin<Data>(
    state: ConversationState,
    ifExists: IfExists,
    restored: boolean,
    output: OutputOption | undefined,
  ): Promise<Conversation<Data>> {
    const { client, settings } = this.#context;
    const id = state.head.conversation_id;
    if (ifExists === "replace") await this.#closeOpenOne(id);
    else if (!restored) await assertNotClosed(this.#context, id, ifExists);
    const reuse =
      ifExists === "replace" || restored
        ? WorkflowIdReusePolicy.ALLOW_DUPLICATE
        : WorkflowIdReusePolicy.REJECT_DUPLICATE;
    const options = startOptions(state, settings.taskQueue, reuse);
    if (ifExists === "open") return this.#opened(options, output);
    try {
      await client.workflow.start(WORKFLOW_TYPE, options);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw unwrapFailure(error, id);
      throw existsError(id, (await this.#isRunning(id)) === true);
    }
    return this.#live(id, output);
  }

  /** The one that is open, else one that its first use will start. */
  async #opened<Data>(options: ConversationStart, output?: OutputOption): Promise<Conversation<Data>> {
    const id = options.workflowId;
    const running = await this.#isRunning(id);
    if (running === false) throw existsError(id, false);
    const starting = running === true ? undefined : new DeferredStart(this.#context.client, options);
    return this.#live(id, output, starting);
  }

  async #closeOpenOne(id: string): Promise<void> {
    if ((await this.#isRunning(id)) === true) await this.#live(id).close();
  }

  #live<Data>(id: string, output?: OutputOption, starting?: DeferredStart): Conversation<Data> {
    const context = { ...this.#context, starting };
    return new Conversation(context, id, new LiveQueries(context, id), output);
  }

  #isRunning(id: string): Promise<boolean | undefined> {
    return isRunning(this.#context.client, id);
  }
}

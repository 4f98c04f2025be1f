/** The way in: connects to a Temporal server, and starts, opens, lists and restores conversations. */
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import {
  Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from "@temporalio/client";
import type { Logger } from "@temporalio/common";
import { ClosedConversations } from "../connection/closed-conversations.js";
import { createDataConverter } from "../connection/data-converter.js";
import { openMediaStore } from "../connection/open-media-store.js";
import { resolveSettings, type Settings, type SettingsOptions } from "../connection/settings.js";
import { SseFrameSource } from "../connection/sse-frame-source.js";
import { WarningLogger } from "../connection/warning-logger.js";
import type { Agent } from "../core/agent.js";
import { WORKFLOW_TYPE } from "../core/conversation/messages.js";
import { freshState, restoredState } from "../core/conversation/restore.js";
import type { ConversationState } from "../core/conversation/state.js";
import { dialectFor } from "../core/dialects/index.js";
import type { Envelope, Prefix } from "../core/envelope/envelope.js";
import { prefixOf } from "../core/envelope/fingerprint.js";
import { readEnvelope } from "../core/envelope/parse-envelope.js";
import type { ParsedEnvelope } from "../core/envelope/read-envelope.js";
import { ConversationExistsError, UsageError } from "../core/errors/errors.js";
import { assertOptions } from "../core/known-options.js";
import type { ClientContext } from "./client-context.js";
import { connectServer } from "./connect-server.js";
import { Conversation } from "./conversation.js";
import { ClosedQueries, LiveQueries } from "./conversation-queries.js";
import { ConversationSlots, QUERIES_AT_ONCE, UPDATES_AT_ONCE } from "./conversation-slots.js";
import { type ConversationSummary, listClosed, listOpen } from "./list-conversations.js";
import { logRestore } from "./log-restore.js";
import { assertAgent, CONNECT_OPTIONS, START_OPTIONS } from "./option-names.js";
import { readEnvelopeText } from "./read-envelope-text.js";
import { restoreConversation } from "./restore-conversation.js";
import { notFound, unwrapFailure } from "./unwrap-failure.js";

/** Temporal's own bound is higher; a longer id would not fit a file name or a line. */
const ID_LIMIT = 500;

export interface ConnectOptions extends SettingsOptions {
  /** Start a server and a worker in this process; their state lies in `.holdfast/` of the folder. */
  readonly embedded?: boolean;
  /** With `embedded`: the simulator answers in the providers' place. */
  readonly simulate?: boolean;
  /** With `embedded`: agents that the worker deploys. */
  readonly agents?: readonly Agent[];
  /** Temporal's logger interface. Warnings go to stderr without it. */
  readonly logger?: Logger;
  readonly env?: NodeJS.ProcessEnv;
  /** Folder against which paths are resolved and `.holdfast/` is looked for. */
  readonly cwd?: string;
}

export type IfExists = "error" | "open" | "replace";

export interface StartOptions {
  /** The workflow id. A random one without it. */
  readonly id?: string;
  readonly ifExists?: IfExists;
  /** A file on the worker's machine that is rewritten after every ended turn. */
  readonly checkpoint?: { readonly path: string };
}

export interface RestoreOptions {
  /** The envelope's own agent without it. */
  readonly agent?: Agent;
  /** The envelope's own id without it. */
  readonly id?: string;
  readonly ifExists?: "error" | "replace";
  readonly checkpoint?: { readonly path: string };
}

export class Conversations implements AsyncDisposable {
  readonly #context: ClientContext;
  readonly #close: () => Promise<void>;

  private constructor(context: ClientContext, close: () => Promise<void>) {
    this.#context = context;
    this.#close = close;
  }

  /**
   * Connects: as told, else by TEMPORAL_* and the config profile, else to the `holdfast dev` of this folder or a parent.
   *
   * @throws ServerUnreachableError with the remedy.
   */
  static async connect(options: ConnectOptions = {}): Promise<Conversations> {
    assertOptions("connect", options, CONNECT_OPTIONS);
    const env = options.env ?? process.env;
    const cwd = resolve(options.cwd ?? process.cwd());
    const logger = options.logger ?? new WarningLogger();
    if (options.embedded === true) {
      const { startEmbedded } = await import("./embedded.js");
      const embedded = await startEmbedded({ ...options, env, cwd });
      return Conversations.#over(embedded.settings, { cwd, logger }, embedded.stop);
    }
    return Conversations.#over(
      resolveSettings({ env, cwd, options }),
      { cwd, logger },
      async () => undefined,
    );
  }

  static async #over(
    settings: Settings,
    { cwd, logger }: { readonly cwd: string; readonly logger: Logger },
    stop: () => Promise<void>,
  ): Promise<Conversations> {
    const connection = await connectServer(settings).catch(async (error: unknown) => {
      await stop();
      throw error;
    });
    const mediaStore = openMediaStore(settings.mediaStore);
    const client = new Client({
      connection,
      namespace: settings.namespace,
      identity: `holdfast-client-${process.pid}`,
      dataConverter: createDataConverter(openMediaStore(settings.payloadStore)),
    });
    const frames = settings.stream === null ? undefined : new SseFrameSource(settings.stream);
    const closed = new ClosedConversations(mediaStore, settings.mediaStore);
    return new Conversations(
      {
        client,
        settings,
        mediaStore,
        closed,
        frames,
        updates: new ConversationSlots(UPDATES_AT_ONCE),
        queries: new ConversationSlots(QUERIES_AT_ONCE),
        logger,
        cwd,
      },
      async () => {
        await connection.close();
        await stop();
      },
    );
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
   * @throws ConversationExistsError when the id is taken, also by a closed one, unless `ifExists` says otherwise.
   */
  async start(agent: Agent, options: StartOptions = {}): Promise<Conversation> {
    assertAgent(agent);
    assertOptions("start", options, START_OPTIONS);
    const id = conversationId(options.id ?? randomUUID());
    const state = freshState({
      ...this.#startContext(id, options),
      agent: agent.spec,
      prefix: prefixOf(agent.spec),
    });
    return this.#begin(state, options.ifExists ?? "error");
  }

  /**
   * The conversation of an id, open or closed.
   *
   * @throws ConversationNotFoundError
   */
  async open(id: string): Promise<Conversation> {
    const running = await this.#isRunning(conversationId(id));
    if (running === true) return this.#live(id);
    const envelope = await this.#context.closed.open(id);
    if (envelope !== undefined)
      return new Conversation(this.#context, id, new ClosedQueries(closedState(envelope)));
    if (running === undefined) throw notFound(id);
    return this.#live(id);
  }

  /** The conversations that are open, or those that were closed. */
  list(options: { readonly closed?: boolean } = {}): Promise<readonly ConversationSummary[]> {
    return options.closed === true ? listClosed(this.#context) : listOpen(this.#context);
  }

  /**
   * A new conversation from an envelope: the path of its file, or its text. The file is not touched.
   *
   * @throws EnvelopeDamagedError, EnvelopeFromFutureError, InvalidHistoryError, SessionCompatibilityError,
   * ConversationExistsError; nothing has been started then.
   */
  async fromJson(pathOrText: string, options: RestoreOptions = {}): Promise<Conversation> {
    return this.#restore(await readEnvelopeText(pathOrText, this.#context.cwd, options.id), options);
  }

  /** As `fromJson`, from the parsed document. */
  async fromEnvelope(envelope: unknown, options: RestoreOptions = {}): Promise<Conversation> {
    const context = {
      now: new Date().toISOString(),
      ...(options.id === undefined ? {} : { conversationId: options.id }),
    };
    return this.#restore(readEnvelope(envelope, context), options);
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
    if (ifExists === "error") await this.#assertFree(id);
    const { now, checkpoint } = this.#startContext(id, options);
    const { mediaStore } = this.#context;
    const state = await restoreConversation(parsed, {
      agent: options.agent,
      conversationId: id,
      mediaStore,
      checkpoint,
      now,
    });
    logRestore(this.#context.logger, state);
    return this.#begin(state, ifExists, true);
  }

  #startContext(id: string, options: { readonly checkpoint?: { readonly path: string } }) {
    const path = options.checkpoint?.path;
    const checkpoint =
      path === undefined
        ? null
        : { path: resolve(this.#context.cwd, path), run_count: null, turn_id: null, error: null };
    return { conversationId: id, now: new Date().toISOString(), checkpoint };
  }

  async #begin(state: ConversationState, ifExists: IfExists, restored = false): Promise<Conversation> {
    const { client, settings } = this.#context;
    const { head, segments, tail } = state;
    const id = head.conversation_id;
    if (ifExists === "replace") await this.#closeOpenOne(id);
    else if (!restored) await this.#assertNotClosed(id, ifExists);
    try {
      await client.workflow.start(WORKFLOW_TYPE, {
        workflowId: id,
        taskQueue: settings.taskQueue,
        args: [head, ...segments, tail],
        workflowIdReusePolicy:
          ifExists === "replace" || restored
            ? WorkflowIdReusePolicy.ALLOW_DUPLICATE
            : WorkflowIdReusePolicy.REJECT_DUPLICATE,
        memo: {
          provider: head.provider,
          model: head.model,
          created_at: head.created_at,
          ...(head.agent.name === undefined ? {} : { agent: head.agent.name }),
        },
        staticSummary: `conversation · ${head.model}`,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw unwrapFailure(error, id);
      if (ifExists === "open" && (await this.#isRunning(id)) === true) return this.#live(id);
      throw existsError(id, (await this.#isRunning(id)) === true);
    }
    return this.#live(id);
  }

  async #closeOpenOne(id: string): Promise<void> {
    if ((await this.#isRunning(id)) === true) await this.#live(id).close();
  }

  /** An envelope may come back under the id of the conversation it was saved from, once that one is closed. */
  async #assertFree(id: string): Promise<void> {
    if ((await this.#isRunning(id)) === true) throw existsError(id, true);
  }

  /** The server forgets closed conversations in time; their last envelopes do not. */
  async #assertNotClosed(id: string, ifExists: IfExists): Promise<void> {
    if ((await this.#context.closed.find(id)) === undefined) return;
    if (ifExists === "open" && (await this.#isRunning(id)) === true) return;
    if ((await this.#isRunning(id)) === true) throw existsError(id, true);
    throw existsError(id, false);
  }

  #live(id: string): Conversation {
    return new Conversation(this.#context, id, new LiveQueries(this.#context, id));
  }

  /** Undefined where the server knows no such conversation. */
  async #isRunning(id: string): Promise<boolean | undefined> {
    try {
      const { status, type } = await this.#context.client.workflow.getHandle(id).describe();
      if (type !== WORKFLOW_TYPE)
        throw new UsageError(`${id} is a workflow of type ${type}, not a conversation: use another id.`);
      return status.name === "RUNNING";
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw unwrapFailure(error, id);
    }
  }
}

function conversationId(id: unknown): string {
  if (typeof id === "string" && id.trim() !== "" && id.length <= ID_LIMIT) return id;
  throw new UsageError(`A conversation id is a text of 1 to ${ID_LIMIT} characters.`);
}

function existsError(id: string, open: boolean): ConversationExistsError {
  return new ConversationExistsError(
    open
      ? `Conversation ${id} is open already: continue it with open(${JSON.stringify(id)}), take another id for a copy, or say ifExists: "replace".`
      : `Conversation ${id} was closed: read it with open(${JSON.stringify(id)}), import its envelope, take another id, or say ifExists: "replace".`,
  );
}

/** The closed conversation's state, for reading only. */
function closedState(envelope: Envelope): ConversationState {
  const agent = envelope.agent !== null && typeof envelope.agent === "object" ? envelope.agent : undefined;
  const spec = agent ?? {
    model: `${envelope.provider}:${envelope.model}`,
    instructions: "",
    tools: [],
    params: {},
  };
  const prefix: Prefix = envelope.prefix ?? prefixOf(spec);
  return restoredState(envelope, dialectFor(envelope.provider), {
    conversationId: envelope.conversation_id,
    now: envelope.saved_at,
    agent: spec,
    prefix,
    checkpoint: null,
    schemaVersion: null,
  });
}

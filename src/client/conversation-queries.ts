/** What can be read of a conversation, whether it lives in Temporal or only in its last envelope. */
import type { WorkflowHandle } from "@temporalio/client";
import { readEnvelope, readFirst, readPages } from "../connection/read-pages.js";
import { envelopeOf } from "../core/conversation/export.js";
import type {
  ConversationDescription,
  ConversationStatus,
  Page,
  PageRequest,
  TurnView,
} from "../core/conversation/messages.js";
import type { ConversationState } from "../core/conversation/state.js";
import { listOf } from "../core/conversation/state.js";
import { descriptionOf, interruptedTurnOf, statusOf, turnView } from "../core/conversation/views.js";
import type {
  ConversionReportEntry,
  Envelope,
  InterruptedTurn,
  MediaReportEntry,
  NativeMessage,
  PersistenceReport,
} from "../core/envelope/envelope.js";
import { persistenceReport } from "../core/envelope/persistence-report.js";
import { savePlan } from "../core/media/policy.js";
import * as m from "../workflows/messages.js";
import { callConversation } from "./call-conversation.js";
import type { ClientContext } from "./client-context.js";

export interface ConversationQueries {
  turn(turnId: string): Promise<TurnView>;
  status(): Promise<ConversationStatus>;
  describe(): Promise<ConversationDescription>;
  persistenceReport(asked?: m.ReportRequest): Promise<PersistenceReport>;
  messages(range?: { readonly from?: number; readonly limit?: number }): Promise<readonly NativeMessage[]>;
  interruptedTurn(turnId?: string): Promise<InterruptedTurn | null>;
  conversionReport(): Promise<readonly ConversionReportEntry[]>;
  mediaReport(): Promise<readonly MediaReportEntry[]>;
  /** Media as markers, not sealed. */
  envelope(savedAt: string): Promise<Envelope>;
}

/** A conversation that is open: every answer comes from its workflow. */
export class LiveQueries implements ConversationQueries {
  readonly #context: ClientContext;
  readonly #handle: WorkflowHandle;

  constructor(context: ClientContext, conversationId: string) {
    this.#context = context;
    this.#handle = context.client.workflow.getHandle(conversationId);
  }

  turn(turnId: string): Promise<TurnView> {
    return this.#ask(() => this.#handle.query(m.turn, { turn_id: turnId }));
  }

  status(): Promise<ConversationStatus> {
    return this.#ask(() => this.#handle.query(m.status));
  }

  describe(): Promise<ConversationDescription> {
    return this.#ask(() => this.#handle.query(m.describe));
  }

  async persistenceReport(asked: m.ReportRequest = {}): Promise<PersistenceReport> {
    let whole: Omit<PersistenceReport, "media"> | undefined;
    const media = await this.#pages(async (request) => {
      const { media: page, ...rest } = await this.#handle.query(m.persistenceReport, {
        ...request,
        ...asked,
      });
      whole ??= rest;
      return page;
    });
    whole ??= { size_bytes: 0, message_count: 0, media_count: 0 };
    // A turn that ended between two pages is not in the counts.
    return { ...whole, media: media.slice(0, whole.media_count) };
  }

  async messages({
    from = 0,
    limit,
  }: {
    readonly from?: number;
    readonly limit?: number;
  } = {}): Promise<readonly NativeMessage[]> {
    const end = limit === undefined ? undefined : from + limit;
    const page = (request: PageRequest): Promise<Page<NativeMessage>> =>
      this.#handle.query(
        m.messages,
        end === undefined ? request : { ...request, limit: end - (request.from ?? 0) },
      );
    return this.#ask(() => readPages(page, from));
  }

  async interruptedTurn(turnId?: string): Promise<InterruptedTurn | null> {
    const which = turnId === undefined ? {} : { turn_id: turnId };
    const record = await this.#ask(() =>
      readFirst((request) => this.#handle.query(m.interruptedTurn, { ...request, ...which })),
    );
    return record ?? null;
  }

  conversionReport(): Promise<readonly ConversionReportEntry[]> {
    return this.#pages((request) => this.#handle.query(m.conversionReport, request));
  }

  mediaReport(): Promise<readonly MediaReportEntry[]> {
    return this.#pages((request) => this.#handle.query(m.mediaReport, request));
  }

  envelope(savedAt: string): Promise<Envelope> {
    return this.#ask(() => readEnvelope(this.#handle, savedAt));
  }

  #pages<T>(query: (request: PageRequest) => Promise<Page<T>>): Promise<readonly T[]> {
    return this.#ask(() => readPages(query));
  }

  #ask<T>(call: () => Promise<T>): Promise<T> {
    const id = this.#handle.workflowId;
    return this.#context.queries.run(id, () => callConversation(this.#context, id, call));
  }
}

/** A conversation that was closed: every answer comes from its last envelope, by the same functions. */
export class ClosedQueries implements ConversationQueries {
  readonly #state: ConversationState;

  constructor(state: ConversationState) {
    this.#state = state;
  }

  async turn(turnId: string): Promise<TurnView> {
    return turnView(this.#state, turnId);
  }

  async status(): Promise<ConversationStatus> {
    return statusOf(this.#state, true);
  }

  async describe(): Promise<ConversationDescription> {
    return descriptionOf(this.#state, true);
  }

  async persistenceReport({
    media,
    has_store = false,
    media_max_inline_bytes,
  }: m.ReportRequest = {}): Promise<PersistenceReport> {
    const { created_at, agent } = this.#state.head;
    const plan = savePlan(agent, {
      ...(media === undefined ? {} : { media }),
      hasStore: has_store,
      ...(media_max_inline_bytes === undefined ? {} : { maxInlineBytes: media_max_inline_bytes }),
    });
    return persistenceReport(envelopeOf(this.#state, created_at), plan);
  }

  async messages({
    from = 0,
    limit,
  }: {
    readonly from?: number;
    readonly limit?: number;
  } = {}): Promise<readonly NativeMessage[]> {
    return listOf(this.#state, "messages").slice(from, limit === undefined ? undefined : from + limit);
  }

  async interruptedTurn(turnId?: string): Promise<InterruptedTurn | null> {
    return interruptedTurnOf(this.#state, turnId);
  }

  async conversionReport(): Promise<readonly ConversionReportEntry[]> {
    return listOf(this.#state, "conversion_report");
  }

  async mediaReport(): Promise<readonly MediaReportEntry[]> {
    return listOf(this.#state, "media_report");
  }

  async envelope(savedAt: string): Promise<Envelope> {
    return envelopeOf(this.#state, savedAt);
  }
}

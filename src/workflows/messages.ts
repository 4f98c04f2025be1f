/** The typed handles of the workflow's messages, shared by workflow, activities and client. The names are frozen. */
import { defineQuery, defineSignal, defineUpdate } from "@temporalio/workflow";
import type { AgentContext, ConversionPreview, Root } from "../core/conversation/activity-contract.js";
import type { EnvelopePiece, ListCounts } from "../core/conversation/export.js";
import type {
  ApproveRequest,
  CancelRequest,
  ConversationDescription,
  ConversationStatus,
  DenyRequest,
  Page,
  PageRequest,
  RebindRequest,
  Receipt,
  Submission,
  TurnEnded,
  TurnResult,
  TurnView,
} from "../core/conversation/messages.js";
import type {
  ConversionReportEntry,
  EnvelopeMetadata,
  InterruptedTurn,
  MediaEntry,
  MediaPolicyOption,
  MediaReportEntry,
  NativeMessage,
  PersistenceReport,
  PrefixChangeReport,
} from "../core/envelope/envelope.js";

type Update<Result, Arguments extends [] | [unknown]> = ReturnType<
  typeof defineUpdate<Result, Arguments, string>
>;
type Signal<Arguments extends unknown[]> = ReturnType<typeof defineSignal<Arguments, string>>;
type Query<Result, Arguments extends unknown[] = []> = ReturnType<
  typeof defineQuery<Result, Arguments, string>
>;

export const submitTurn: Update<Receipt, [Submission]> = defineUpdate("submit_turn");
export const submitTurnSignal: Signal<[Submission]> = defineSignal("submit_turn");
export const runTurn: Update<TurnResult, [Submission]> = defineUpdate("run_turn");
export const rebindUpdate: Update<ConversationStatus, [RebindRequest]> = defineUpdate("rebind");
export const previewRebind: Update<ConversionPreview, [RebindRequest]> = defineUpdate("preview_rebind");
/** Internal: sent by a worker to a run that is about to continue as new. */
export const confirmMove: Update<void, []> = defineUpdate("confirm_move");
export const rebindSignal: Signal<[RebindRequest]> = defineSignal("rebind");
export const cancelTurn: Signal<[CancelRequest?]> = defineSignal("cancel_turn");
export const approveUpdate: Update<ConversationStatus, [ApproveRequest]> = defineUpdate("approve");
export const approveSignal: Signal<[ApproveRequest]> = defineSignal("approve");
export const denyUpdate: Update<ConversationStatus, [DenyRequest]> = defineUpdate("deny");
export const denySignal: Signal<[DenyRequest]> = defineSignal("deny");
export const close: Signal<[]> = defineSignal("close");

/** Sent by a conversation to the workflow that asked. */
export const turnEnded: Signal<[TurnEnded]> = defineSignal("turn_ended");

export const turn: Query<TurnView, [{ readonly turn_id: string }]> = defineQuery("turn");
export const status: Query<ConversationStatus> = defineQuery("status");
export const describe: Query<ConversationDescription> = defineQuery("describe");
export const metadata: Query<EnvelopeMetadata> = defineQuery("metadata");
export const prefixChangeReport: Query<PrefixChangeReport | null> = defineQuery("prefix_change_report");
/** How the save would write media; what is left out is as the agent says. */
export interface ReportRequest {
  readonly media?: MediaPolicyOption;
  /** Whether the save names a store of its own. */
  readonly has_store?: boolean;
  readonly media_max_inline_bytes?: number | null;
}
export const persistenceReport: Query<PersistenceReportPage, [(PageRequest & ReportRequest)?]> =
  defineQuery("persistence_report");

export const messages: Query<Page<NativeMessage>, [PageRequest?]> = defineQuery("messages");
export const envelope: Query<EnvelopePage, [(PageRequest & { readonly counts?: ListCounts })?]> =
  defineQuery("envelope");
export const interruptedTurn: Query<
  Page<InterruptedTurn | null>,
  [(PageRequest & { readonly turn_id?: string })?]
> = defineQuery("interrupted_turn");
export const conversionReport: Query<Page<ConversionReportEntry>, [PageRequest?]> = defineQuery(
  "conversion_report",
);
export const mediaReport: Query<Page<MediaReportEntry>, [PageRequest?]> = defineQuery("media_report");
export const mediaReferences: Query<Page<string>, [PageRequest?]> = defineQuery("media_references");
export const transcript: Query<TranscriptPage, [TranscriptRequest?]> = defineQuery("transcript");

/** `conversions` tells whether the pages are of one history: a conversion in place makes it another one. */
export interface EnvelopePage extends Page<EnvelopePiece> {
  readonly conversions: number;
}

/** `size_bytes` and counts of the whole, `media` in pages. */
export interface PersistenceReportPage extends Omit<PersistenceReport, "media"> {
  readonly media: Page<PersistenceReport["media"][number]>;
}

/** With `agent` the one entry is the agent's context, with `media` the entries are those of the media table. */
export interface TranscriptRequest extends PageRequest {
  readonly agent?: boolean;
  readonly media?: boolean;
}

export type TranscriptEntry = NativeMessage | AgentContext | readonly [sha256: string, entry: MediaEntry];

/** Internal: how a worker without the history in its cache reads it. */
export interface TranscriptPage extends Page<TranscriptEntry> {
  readonly root: Root;
}

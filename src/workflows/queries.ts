/** The queries: reads of the state. None answers more than one page, and none touches the outside. */
import { setHandler } from "@temporalio/workflow";
import { envelopeOf, envelopePieces } from "../core/conversation/export.js";
import { mediaReferencesOf } from "../core/conversation/media-references.js";
import type { Page, PageRequest } from "../core/conversation/messages.js";
import { pageOf } from "../core/conversation/page.js";
import { servedRangesOf } from "../core/conversation/provenance.js";
import type { ListName } from "../core/conversation/state.js";
import { listOf } from "../core/conversation/state.js";
import { transcriptMedia, transcriptMessages, transcriptRoot } from "../core/conversation/transcript.js";
import {
  descriptionOf,
  interruptedTurnOf,
  metadataOf,
  statusOf,
  turnView,
} from "../core/conversation/views.js";
import { persistenceReport } from "../core/envelope/persistence-report.js";
import { isJsonObject } from "../core/json.js";
import { MEDIA_POLICY_OPTIONS, type SaveOptions, savePlan } from "../core/media/policy.js";
import type { ConversationRun } from "./conversation-run.js";
import * as m from "./messages.js";

export function registerQueries(run: ConversationRun): void {
  setHandler(
    m.turn,
    (request) => {
      const turnId = isJsonObject(request) ? request.turn_id : undefined;
      if (typeof turnId !== "string") throw new TypeError("The turn query takes {turn_id}.");
      return turnView(run.state, turnId);
    },
    { description: "One turn by its id, {turn_id}: its state, and its result, record or reason." },
  );
  setHandler(m.status, () => statusOf(run.state, run.closed), {
    description: "What runs, what waits, the model, the checkpoint and the last refusals.",
  });
  setHandler(m.describe, () => descriptionOf(run.state, run.closed), {
    description: "All small fields in one answer.",
  });
  setHandler(m.metadata, () => metadataOf(run.state), { description: "run_count and served_models." });
  setHandler(m.prefixChangeReport, () => run.state.head.prefix_change_report, {
    description: "Which of instructions and tools moved since the save, or null.",
  });
  registerPages(run);
}

function registerPages(run: ConversationRun): void {
  const list =
    (name: ListName) =>
    (request?: PageRequest): Page<never> =>
      pageOf(listOf(run.state, name) as readonly never[], request, run.state.version);
  setHandler(m.messages, list("messages"), { description: "The history in pages: {from?, part?, limit?}." });
  setHandler(m.conversionReport, list("conversion_report"), {
    description: "What the last conversion did not carry over, in pages.",
  });
  setHandler(m.mediaReport, list("media_report"), { description: "What happened to attachments, in pages." });
  setHandler(
    m.mediaReferences,
    (request) => pageOf(mediaReferencesOf(run.state), request, run.state.version),
    { description: "Internal: the SHA-256 of every blob that the conversation needs, in pages." },
  );
  setHandler(
    m.envelope,
    (request) => ({
      ...pageOf(envelopePieces(run.state, request?.counts), request, run.state.version),
      conversions: run.state.head.conversions,
    }),
    {
      description:
        "The envelope in pieces: the head first, then the entries of each list; pass its counts on for one moment.",
    },
  );
  setHandler(
    m.interruptedTurn,
    (request) => pageOf([interruptedTurnOf(run.state, request?.turn_id)], request, run.state.version),
    { description: "The record of the last turn where it failed, or of {turn_id}." },
  );
  setHandler(
    m.transcript,
    (request) => ({
      ...pageOf(transcriptEntries(run, request), request, run.state.version),
      root: transcriptRoot(run.state),
    }),
    { description: "Internal: how a worker without the history in its cache reads it." },
  );
  setHandler(
    m.persistenceReport,
    (request) => {
      const plan = savePlan(run.state.head.agent, saveOptionsOf(request));
      const { media, ...whole } = persistenceReport(envelopeOf(run.state, new Date().toISOString()), plan);
      return { ...whole, media: pageOf(media, request, run.state.version) };
    },
    { description: "How large a save would be, and its media in pages; under {media}, a policy." },
  );
}

/** The history; the agent's context; or the media table. */
function transcriptEntries(
  { state }: ConversationRun,
  request: m.TranscriptRequest | undefined,
): readonly m.TranscriptEntry[] {
  if (request?.media === true) return transcriptMedia(state);
  if (request?.agent !== true) return transcriptMessages(state);
  const { agent, system } = state.head;
  return [{ agent, system, served: servedRangesOf(state, agent.model) }];
}

/** The save asked for. @throws TypeError for a policy or a limit that is none. */
function saveOptionsOf(
  request: { readonly [Key in keyof m.ReportRequest]?: unknown } | undefined,
): SaveOptions {
  const { media: asked, has_store, media_max_inline_bytes: limit } = request ?? {};
  const media = MEDIA_POLICY_OPTIONS.find((option) => option === asked);
  const isLimit = limit === null || (typeof limit === "number" && limit >= 0);
  if ((media === undefined && asked !== undefined && asked !== null) || !(limit === undefined || isLimit))
    throw new TypeError(
      `The persistence_report query takes {media}: ${MEDIA_POLICY_OPTIONS.join(", ")}; {has_store}; {media_max_inline_bytes}.`,
    );
  return {
    ...(media === undefined ? {} : { media }),
    hasStore: has_store === true,
    ...(isLimit ? { maxInlineBytes: limit } : {}),
  };
}

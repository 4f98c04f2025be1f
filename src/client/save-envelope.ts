/** A save: the conversation's envelope with its media as the policy has them. */
import { savedWithLosses } from "../connection/export-envelope.js";
import { guardedStore } from "../connection/guarded-store.js";
import { logMedia } from "../connection/log-media.js";
import {
  isMediaStore,
  type NamedStores,
  openNamedStore,
  storeLocation,
} from "../connection/open-media-store.js";
import type { AgentSpec } from "../core/agent.js";
import type { Envelope, MediaReportEntry } from "../core/envelope/envelope.js";
import { UsageError } from "../core/errors/errors.js";
import { addedEntries } from "../core/media/media-report.js";
import type { MediaStore } from "../core/media/media-store.js";
import { assertMaxInlineBytes, assertMediaPolicy, savePlan } from "../core/media/policy.js";
import type { ReportRequest } from "../workflows/messages.js";
import { assertedSchema } from "./asked-schema.js";
import type { ClientContext } from "./client-context.js";
import type { SaveOptions } from "./conversation-options.js";

type Places = Pick<ClientContext, "cwd" | "stores">;
type SaveContext = Places & Pick<ClientContext, "mediaStore" | "logger">;

export interface Saved {
  readonly envelope: Envelope;
  /** What the save itself has to report. */
  readonly report: readonly MediaReportEntry[];
}

/**
 * `envelope` is that of the conversation's state. What the save reports is in the written envelope and in the log.
 *
 * @throws UsageError for options of a wrong kind, and for `externalize` where no store is named.
 */
export async function saveEnvelope(
  context: SaveContext,
  envelope: Envelope,
  { media, mediaStore, mediaMaxInlineBytes }: SaveOptions,
): Promise<Saved> {
  assertMediaPolicy("media", media);
  assertMaxInlineBytes("mediaMaxInlineBytes", mediaMaxInlineBytes);
  const plan = savePlan(envelope.agent, {
    ...(media === undefined ? {} : { media }),
    hasStore: mediaStore !== undefined,
    ...(mediaMaxInlineBytes === undefined ? {} : { maxInlineBytes: mediaMaxInlineBytes }),
  });
  const target = targetStore(context, mediaStore, envelope.agent);
  const { envelope: saved, lost } = await savedWithLosses(envelope, plan, {
    working: context.mediaStore,
    target,
  });
  const report = addedEntries(envelope.media_report, saved.media_report);
  // What a turn or an earlier save has reported is not in this file either: each says so.
  const told = [...report, ...addedEntries(report, lost)];
  logMedia(context.logger, told, { conversation_id: envelope.conversation_id });
  return { envelope: saved, report };
}

/** A save as the conversation is asked how large it would be. @throws UsageError for options of a wrong kind. */
export function reportRequest(
  places: Places,
  { media, mediaStore, mediaMaxInlineBytes }: SaveOptions,
): ReportRequest {
  assertMediaPolicy("media", media);
  assertMaxInlineBytes("mediaMaxInlineBytes", mediaMaxInlineBytes);
  return {
    ...(media === undefined ? {} : { media }),
    ...(storeAsked(places, mediaStore) === undefined ? {} : { has_store: true }),
    ...(mediaMaxInlineBytes === undefined ? {} : { media_max_inline_bytes: mediaMaxInlineBytes }),
  };
}

function targetStore(
  context: Places,
  named: string | MediaStore | undefined,
  agent: Envelope["agent"],
): MediaStore | undefined {
  const own = typeof agent === "object" && agent !== null ? agent.media_store : undefined;
  const asked = storeAsked(context, named) ?? own;
  if (isMediaStore(asked)) return guardedStore(asked, "of this save");
  return asked === undefined ? undefined : openNamedStore(asked, context.stores);
}

/** The location of a store that a call names, or the store itself. @throws UsageError for what is neither. */
export function storeAsked(
  { cwd, stores }: { readonly cwd: string; readonly stores: NamedStores },
  asked: string | MediaStore | undefined,
): string | MediaStore | undefined {
  if (asked === undefined || isMediaStore(asked)) return asked;
  if (typeof asked === "string" && asked.trim() !== "") return storeLocation(asked, { stores, cwd });
  throw new UsageError(
    '`mediaStore` is a folder, an s3:// URL, the name of a registered store, or a media store: mediaStore: "checkpoints/media".',
  );
}

/** The agent as the conversation keeps it: its store is found from every folder. @throws UsageError for an output that is no schema. */
export function placedAgent<Spec extends Partial<AgentSpec>>(places: Places, spec: Spec): Spec {
  if (spec.output_schema !== undefined) assertedSchema("Agent", spec.output_schema);
  if (spec.media_store === undefined) return spec;
  return { ...spec, media_store: storeLocation(spec.media_store, places) };
}

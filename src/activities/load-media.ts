/** Markers back to base64, in the request only, just before the call. */
import { impossibleAsText } from "../connection/impossible-as-text.js";
import { type Judging, judgeMedia, type Verdict, verdictText } from "../connection/judge-media.js";
import { historyIndex, type Sent } from "../core/conversation/send-window.js";
import type { AttachmentReader } from "../core/dialects/attachment-types.js";
import type { Dialect } from "../core/dialects/dialect.js";
import { dialectFor } from "../core/dialects/index.js";
import { mapPreserving } from "../core/dialects/map-preserving.js";
import type { MediaReportEntry, NativeMessage } from "../core/envelope/envelope.js";
import { readBytes } from "../core/media/byte-reading.js";
import { inlineMedia, markerPlaces } from "../core/media/inline-media.js";
import { keyOf } from "../core/media/marker.js";
import { mediaDamage } from "../core/media/media-damage.js";
import { type MediaPlace, mediaPlaces } from "../core/media/media-place.js";
import type { MediaStore } from "../core/media/media-store.js";
import { replaceByText } from "../core/media/media-text.js";
import { BlobDamagedError } from "../media-stores/blob-damaged-error.js";
import { activityFailure } from "./activity-failure.js";

export interface Loading extends Pick<Sent, "messages" | "leftOut"> {
  /** Where the turn's own messages begin: what it attaches must be there. */
  readonly turnFrom: number;
  readonly signal: AbortSignal;
  /**
   * Also leave out what of the history is cut off or broken, or of a type that could not be attached anew: the provider has
   * refused the request for some medium.
   */
  readonly wholeOnly?: boolean;
}

export interface Loaded {
  readonly messages: readonly NativeMessage[];
  readonly report: readonly MediaReportEntry[];
}

/**
 * The messages with the bytes of every marker in its place; a text, reported, where the history has a medium whose bytes are
 * gone or are something else, or which the reader does not take. Messages without media are passed through as they are.
 *
 * @throws a failure of type `media.missing_blob` for an attachment of the turn itself.
 */
export async function loadMedia(
  store: Pick<MediaStore, "get">,
  reader: AttachmentReader,
  loading: Loading,
): Promise<Loaded> {
  const possible = withoutImpossible(reader, loading);
  const { messages, report } = await loadPossible(store, reader, {
    ...loading,
    messages: possible.messages,
  });
  return { messages, report: [...possible.report, ...report] };
}

/** A text in the place of what no request could send: the history keeps it. */
function withoutImpossible(reader: AttachmentReader, loading: Loading): Loaded {
  const report: MediaReportEntry[] = [];
  const sound = soundFor(reader);
  const messages = mapPreserving(loading.messages, (message, index) => {
    if (index >= loading.turnFrom || sound.has(message)) return message;
    const possible = impossibleAsText(reader, message);
    // What only claims to be a message may be no object at all.
    if (possible.report.length === 0 && typeof message === "object" && message !== null) sound.add(message);
    const message_index = historyIndex(loading, index);
    report.push(...possible.report.map((entry) => ({ ...entry, message_index, preserved: true as const })));
    return possible.message;
  });
  return { messages, report };
}

/** By who reads them, the messages that were looked at and have nothing impossible: most have no media at all, and every turn asks of all. */
const soundByReader = new Map<string, WeakSet<NativeMessage>>();

function soundFor({ provider, endpoints }: AttachmentReader): WeakSet<NativeMessage> {
  const reader = JSON.stringify([provider, endpoints?.[provider] ?? []]);
  const known = soundByReader.get(reader) ?? new WeakSet();
  soundByReader.set(reader, known);
  return known;
}

async function loadPossible(
  store: Pick<MediaStore, "get">,
  reader: AttachmentReader,
  loading: Loading,
): Promise<Loaded> {
  const dialect = dialectFor(reader.provider);
  const places = mediaPlaces(dialect, loading.messages);
  if (places.length === 0) return { messages: loading.messages, report: [] };
  const { blobs, damaged } = await readBlobs(store, places, loading.signal);
  const judging = { reader, strict: loading.wholeOnly ?? false, heads: blobs, damaged };
  const verdicts = await verdictsOn(places, judging, loading);
  const messages = replaceByText(dialect, loading.messages, (place) => {
    const verdict = verdicts.get(placeId(place));
    return verdict && verdictText(place.mime_type, 0, verdict);
  });
  const base64 = new Map([...blobs].map(([key, bytes]) => [key, base64Of(bytes)] as const));
  return {
    messages: inlineMedia(dialect, messages, base64),
    report: places.flatMap((place) => reportOf(place, verdicts.get(placeId(place)), loading)),
  };
}

interface ReadBlobs {
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  /** Keys of which the store has other bytes. */
  readonly damaged: ReadonlySet<string>;
}

async function readBlobs(
  store: Pick<MediaStore, "get">,
  places: readonly MediaPlace[],
  signal: AbortSignal,
): Promise<ReadBlobs> {
  const damaged = new Set<string>();
  const blobs = new Map<string, Uint8Array>();
  for (const key of new Set(places.flatMap(({ data }) => keyOf(data) ?? []))) {
    const bytes = await store.get(key, { signal }).catch((error: unknown) => {
      if (!(error instanceof BlobDamagedError)) throw error;
      damaged.add(key);
      return undefined;
    });
    if (bytes !== undefined) blobs.set(key, bytes);
  }
  return { blobs, damaged };
}

async function verdictsOn(
  places: readonly MediaPlace[],
  judging: Judging,
  { turnFrom, wholeOnly = false }: Loading,
): Promise<ReadonlyMap<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  for (const place of places) {
    const judged = await judgeMedia(place, judging);
    const verdict = judged ?? (wholeOnly ? damageOf(place, judging.heads) : undefined);
    if (verdict === undefined) continue;
    if (place.message_index < turnFrom) verdicts.set(placeId(place), verdict);
    else if (verdict.reason === "missing_blob") throw missingBlob(verdict.detail);
  }
  return verdicts;
}

function damageOf(
  { data, mime_type }: MediaPlace,
  blobs: ReadonlyMap<string, Uint8Array>,
): Verdict | undefined {
  const bytes = blobs.get(keyOf(data) ?? "");
  const damage = bytes && readBytes(mediaDamage(mime_type, bytes.byteLength), bytes);
  return damage === undefined ? undefined : { reason: "invalid_media", detail: damage };
}

const placeId = ({ message_index, path }: MediaPlace): string => `${message_index} ${path}`;

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** It stays in the history: the next request has it again where its bytes have come back. */
function reportOf(
  { mime_type, message_index }: MediaPlace,
  verdict: Verdict | undefined,
  sent: Loading,
): readonly MediaReportEntry[] {
  if (verdict === undefined) return [];
  return [
    { ...verdict, mime_type, size: 0, message_index: historyIndex(sent, message_index), preserved: true },
  ];
}

/** The keys of the blobs that these messages name. */
export function mediaKeys(dialect: Dialect, messages: readonly NativeMessage[]): ReadonlySet<string> {
  return new Set(markerPlaces(dialect, messages).map(({ key }) => key));
}

function missingBlob(key: string): Error {
  const text = `The attachment ${key} is not in the media store of this worker: point HOLDFAST_MEDIA_STORE of client and worker at the same store.`;
  return activityFailure("media.missing_blob", text, { retryable: false });
}

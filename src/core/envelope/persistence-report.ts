/** What a save is about to write: how large the file gets and which media are in it. Nothing is serialised for it. */
import { dialectFor } from "../dialects/index.js";
import { jsonByteLength } from "../json-byte-length.js";
import { base64Length } from "../media/base64.js";
import { fromFileData } from "../media/google-files.js";
import { digestOfKey, keyOf } from "../media/marker.js";
import { type MediaPlace, mediaPlaces } from "../media/media-place.js";
import { reportedMissing } from "../media/media-report.js";
import { mediaSize } from "../media/media-text.js";
import { withReferences } from "../media/media-whereabouts.js";
import { type MediaPlan, planMedia } from "../media/plan-media.js";
import type { SavePlan } from "../media/policy.js";
import type { Envelope, MediaEntry, PersistenceReport } from "./envelope.js";

/** A checksum is not known before the content is serialised, but its length is. */
const ANY_CHECKSUM = "0".repeat(64);
const NEWLINE = 1;
/** `,"data":""` of an entry that gets its bytes. */
const DATA_KEY_BYTES = 10;

/**
 * The report on an envelope as it would be written; without a plan, under the policy that it names. Where its media are markers, as in a
 * conversation's state, they are counted as what the save puts in their place; a marker that the media table does not know
 * stays a marker, and so does one whose blob was reported as missing. The bytes of all others count as there: whether a store
 * has lost them shows when it is read.
 */
export function persistenceReport(
  envelope: Envelope,
  plan: SavePlan = { policy: envelope.media_policy, maxInlineBytes: null },
): PersistenceReport {
  const planned = planMedia(envelope, plan, reportedMissing(envelope.media_report));
  // Under `strip` a text stands in the place of what the conversation has.
  const written = plan.policy === "strip" ? planned.envelope : envelope;
  const media = withReferences(written.media);
  const { messages } = fromFileData({ ...written, media });
  const places = mediaPlaces(dialectFor(envelope.provider), messages);
  return {
    size_bytes: writtenBytes(planned, envelope.media),
    message_count: envelope.messages.length,
    media_count: places.length,
    media: places.map((place) => ({
      message_index: place.message_index,
      kind: place.kind,
      mime_type: place.mime_type,
      size_bytes: mediaSize(place, media),
    })),
  };
}

function writtenBytes(
  { envelope, inMessages, inTable }: MediaPlan,
  media: Readonly<Record<string, MediaEntry>>,
): number {
  let bytes = jsonByteLength({ ...envelope, checksum: ANY_CHECKSUM }) + NEWLINE;
  // One entry a digest, whatever types its bytes have.
  for (const digest of new Set([...inTable].map(digestOfKey))) {
    const entry = envelope.media[digest];
    if (entry?.data === undefined) bytes += DATA_KEY_BYTES + base64Length(entry?.size_bytes ?? 0);
  }
  if (inMessages.size === 0) return bytes;
  for (const place of mediaPlaces(dialectFor(envelope.provider), envelope.messages)) {
    bytes += growth(place, inMessages, media);
  }
  return bytes;
}

/** By how many bytes a place grows when its marker becomes what it stands for. */
function growth(
  { data, as_text }: MediaPlace,
  inMessages: ReadonlySet<string>,
  media: Readonly<Record<string, MediaEntry>>,
): number {
  const key = keyOf(data);
  const entry = key === undefined ? undefined : media[digestOfKey(key)];
  if (key === undefined || entry === undefined || !inMessages.has(key)) return 0;
  // Base64 and markers have no character that JSON escapes; plain text may have many.
  const inlined = as_text ? (entry.json_bytes ?? entry.size_bytes) : base64Length(entry.size_bytes);
  return inlined - data.length;
}

/**
 * What a save writes of the media of a conversation's state, under each policy. The size that is reported and the file that is
 * written both come of this plan, so that they cannot differ.
 */
import { isUnit, readAttic } from "../dialects/attic.js";
import { DIALECTS, dialectFor } from "../dialects/index.js";
import type { Envelope, MediaEntry, MediaReportEntry } from "../envelope/envelope.js";
import type { JsonObject } from "../json.js";
import { atticOnlyKeys } from "./attic-media.js";
import { toFileData } from "./google-files.js";
import { digestOfKey, keyOf } from "./marker.js";
import { type MediaPlace, mediaPlaces } from "./media-place.js";
import { addedEntries, missingDetail, withTableFacts } from "./media-report.js";
import { mediaSize, mediaText, replaceByText } from "./media-text.js";
import type { SavePlan } from "./policy.js";

type MediaTable = Readonly<Record<string, MediaEntry>>;
type Keys = ReadonlySet<string>;

export interface MediaPlan {
  /** As it is written, but for the bytes: where base64 is to stand there is still a marker, and no entry has new `data`. */
  readonly envelope: Envelope;
  /** Keys whose markers in the messages give way to base64. */
  readonly inMessages: Keys;
  /** Keys whose entries in the table get `data`. */
  readonly inTable: Keys;
  /** What the file lacks, whether or not it has been reported before. */
  readonly lost: readonly MediaReportEntry[];
}

const NONE: Keys = new Set();

/**
 * The plan for an envelope whose media are markers, as in a conversation's state. Base64 that stands in it stays, but under
 * `strip`. A key of `missing` has no bytes: its marker stays, and the envelope's report says so.
 */
export function planMedia(
  envelope: Envelope,
  plan: SavePlan,
  missing: Keys = NONE,
  damaged: Keys = NONE,
): MediaPlan {
  if (plan.policy === "strip")
    return { envelope: stripped(envelope), inMessages: NONE, inTable: NONE, lost: [] };
  const places = mediaPlaces(dialectFor(envelope.provider), envelope.messages);
  const lost = missing.size === 0 ? [] : missingEntries(places, envelope.media, { missing, damaged });
  const media_report = [...envelope.media_report, ...addedEntries(envelope.media_report, lost)];
  const told: Envelope = { ...envelope, media_policy: plan.policy, media_report };
  if (plan.policy === "inline") return { ...inlined(told, places, plan.maxInlineBytes, missing), lost };
  const filed = toFileData({ ...told, media: withEntries(told, places) });
  return { envelope: filed, inMessages: NONE, inTable: NONE, lost };
}

function inlined(
  envelope: Envelope,
  places: readonly MediaPlace[],
  limit: number | null,
  missing: Keys,
): Omit<MediaPlan, "lost"> {
  const { media } = envelope;
  const filed = toFileData(envelope);
  const shown =
    filed.messages === envelope.messages
      ? places
      : mediaPlaces(dialectFor(envelope.provider), filed.messages);
  const markers = new Set(keysOf(shown));
  const files = keysOf(places).filter((key) => media[digestOfKey(key)]?.uri !== undefined);
  const isReadable = (key: string): boolean => media[digestOfKey(key)] !== undefined && !missing.has(key);
  const inMessages = new Set([...markers].filter(isReadable));
  const asFiles = files.filter((key) => !markers.has(key));
  const carried = [...new Set([...asFiles, ...atticOnlyKeys(envelope)])].filter(isReadable);
  const fits = (key: string): boolean =>
    limit === null || (media[digestOfKey(key)]?.size_bytes ?? 0) <= limit;
  const inTable = new Set(carried.filter(fits));
  const over = overThreshold(envelope, places, new Set(carried.filter((key) => !fits(key))));
  const stays = new Set([...markers].filter((key) => !inMessages.has(key)).map(digestOfKey));
  const gone = new Set([...inMessages].map(digestOfKey));
  return {
    envelope: {
      ...filed,
      media: inlineTable(media, { stays, gone, files: new Set(asFiles.map(digestOfKey)) }),
      media_report: [...envelope.media_report, ...over],
    },
    inMessages,
    inTable,
  };
}

/** The keys of all blobs that the envelope of a state needs: those of its table, and those of markers that the table lacks. */
export function storedKeys(
  envelope: Pick<Envelope, "media" | "messages" | "attic" | "provider">,
): readonly string[] {
  const places = mediaPlaces(dialectFor(envelope.provider), envelope.messages);
  const refs = Object.values(envelope.media).flatMap(({ ref }) => ref ?? []);
  return [...new Set([...refs, ...keysOf([...places, ...atticPlaces(envelope)])])];
}

/** What stands inline needs no entry but for a provider's address; what is a file has no reference, for it has its address. */
function inlineTable(
  media: MediaTable,
  { stays, gone, files }: { readonly stays: Keys; readonly gone: Keys; readonly files: Keys },
): MediaTable {
  return Object.fromEntries(
    Object.entries(media).flatMap(([digest, entry]): [string, MediaEntry][] => {
      if (stays.has(digest)) return [[digest, entry]];
      if (!files.has(digest)) return gone.has(digest) ? [] : [[digest, entry]];
      const { ref: _, ...file } = entry;
      return [[digest, file]];
    }),
  );
}

/** Every marker in a file has its entry. */
function withEntries(envelope: Envelope, places: readonly MediaPlace[]): MediaTable {
  const { media } = envelope;
  const unknown = [...places, ...atticPlaces(envelope)].flatMap(
    ({ data, mime_type }): [string, MediaEntry][] => {
      const key = keyOf(data);
      if (key === undefined || media[digestOfKey(key)] !== undefined) return [];
      return [[digestOfKey(key), { mime_type, size_bytes: 0, ref: key }]];
    },
  );
  return unknown.length === 0 ? media : { ...media, ...Object.fromEntries(unknown) };
}

function missingEntries(
  places: readonly MediaPlace[],
  media: MediaTable,
  { missing, damaged }: { readonly missing: Keys; readonly damaged: Keys },
): readonly MediaReportEntry[] {
  return places.flatMap(({ data, mime_type, message_index }): MediaReportEntry[] => {
    const key = keyOf(data);
    if (key === undefined || !missing.has(key)) return [];
    const detail = missingDetail(key, damaged);
    const entry = {
      reason: "missing_blob",
      mime_type,
      size: 0,
      message_index,
      detail,
      preserved: true,
    } as const;
    return [withTableFacts(entry, media[digestOfKey(key)])];
  });
}

/** One entry a place; of what only the attic names, where its range begins. */
function overThreshold(
  envelope: Envelope,
  places: readonly MediaPlace[],
  over: Keys,
): readonly MediaReportEntry[] {
  if (over.size === 0) return [];
  const named = new Set(keysOf(places));
  const attic = atticPlaces(envelope).filter(({ data }) => !named.has(keyOf(data) ?? ""));
  return [...places, ...attic].flatMap(({ data, mime_type, message_index }): MediaReportEntry[] => {
    const key = keyOf(data);
    if (key === undefined || !over.has(key)) return [];
    const known = envelope.media[digestOfKey(key)];
    const address = known?.uri === undefined ? {} : { uri: known.uri };
    const until = known?.expiration_time;
    const detail = until === undefined ? {} : { detail: `its upload is kept until ${until}` };
    const entry = {
      reason: "over_inline_threshold",
      mime_type,
      size: 0,
      message_index,
      ...address,
      ...detail,
    } as const;
    return [withTableFacts(entry, known)];
  });
}

function stripped(envelope: Envelope): Envelope {
  const { media } = envelope;
  const dialect = dialectFor(envelope.provider);
  const textFor = (place: MediaPlace): string =>
    mediaText(place.mime_type, mediaSize(place, media), "left out of this file");
  const places = mediaPlaces(dialect, envelope.messages);
  const entries = places.map((place): MediaReportEntry => {
    const { mime_type, message_index } = place;
    return { reason: "stripped", mime_type, size: mediaSize(place, media), message_index };
  });
  return {
    ...envelope,
    media_policy: "strip",
    messages: replaceByText(dialect, envelope.messages, textFor),
    attic: envelope.attic.map((entry) => strippedEntry(entry, textFor)),
    media: Object.fromEntries(
      Object.entries(media).filter(
        ([, { uri, ref, data }]) => uri !== undefined && (ref ?? data) === undefined,
      ),
    ),
    media_report: [...envelope.media_report, ...entries],
  };
}

function strippedEntry(entry: JsonObject, textFor: (place: MediaPlace) => string): JsonObject {
  const [unit] = readAttic([entry]).filter(isUnit);
  if (unit === undefined) return entry;
  const messages = replaceByText(DIALECTS[unit.dialect], unit.messages, textFor);
  return messages === unit.messages ? entry : { ...entry, messages };
}

function atticPlaces({ attic }: Pick<Envelope, "attic">): readonly MediaPlace[] {
  return readAttic(attic)
    .filter(isUnit)
    .flatMap(({ dialect, messages, from }) =>
      mediaPlaces(DIALECTS[dialect], messages).map((place) => ({ ...place, message_index: from })),
    );
}

function keysOf(places: readonly MediaPlace[]): readonly string[] {
  return [...new Set(places.flatMap(({ data }) => keyOf(data) ?? []))];
}

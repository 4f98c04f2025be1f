/** A conversion together with its bytes: what comes out of the attic names media that stand inline in the source. */
import { isUnit, readAttic } from "../core/dialects/attic.js";
import { DIALECTS, dialectFor } from "../core/dialects/index.js";
import { type ConversionTarget, convertEnvelope } from "../core/envelope/convert-envelope.js";
import type { Envelope, MediaEntry } from "../core/envelope/envelope.js";
import type { JsonObject } from "../core/json.js";
import { type Base64ByKey, inlineMedia, markerPlaces } from "../core/media/inline-media.js";
import { digestOfKey } from "../core/media/marker.js";
import type { MediaStore } from "../core/media/media-store.js";
import { dialectOf } from "../core/providers.js";
import { MemoryMediaStore } from "../media-stores/memory-media-store.js";
import { readBase64 } from "./export-envelope.js";
import { inlineTextMedia, storeMedia } from "./store-media.js";

/**
 * The envelope converted, every byte that it brought along in its place again, in messages and attic. Of the store only text
 * is read, and nothing is written there.
 *
 * @throws SessionCompatibilityError as `convertEnvelope`; BlobDamagedError for bytes of another digest.
 */
export async function convertWithMedia(
  envelope: Envelope,
  target: ConversionTarget,
  { store, convert }: { readonly store: Pick<MediaStore, "get">; readonly convert: boolean },
): Promise<Envelope> {
  if (dialectOf(envelope.provider) === dialectOf(target.provider)) return convertEnvelope(envelope, target);
  const held = new MemoryMediaStore();
  const marked = await storeMedia(envelope, held);
  const known = Object.entries(marked.media).map(([digest, entry]): [string, MediaEntry] => {
    const before = envelope.media[digest] ?? entry;
    return [digest, before.data === undefined && before.ref === undefined ? before : entry];
  });
  const readable = await inlineTextMedia(
    { ...marked, media: Object.fromEntries(known) },
    {
      get: async (key, options) => (await held.get(key)) ?? store.get(key, options),
    },
  );
  const converted = convertEnvelope(readable, target, { convert });
  const base64 = await readBase64(held, namedIn(converted));
  return {
    ...everythingInline(converted, base64),
    media: tableBeside(base64, converted.media, envelope.media),
  };
}

function namedIn({ provider, messages, attic }: Envelope): ReadonlySet<string> {
  const units = readAttic(attic).filter(isUnit);
  return new Set(
    [
      ...markerPlaces(dialectFor(provider), messages),
      ...units.flatMap((unit) => markerPlaces(DIALECTS[unit.dialect], unit.messages)),
    ].map(({ key }) => key),
  );
}

function everythingInline(envelope: Envelope, base64: Base64ByKey): Envelope {
  const { provider, messages, attic } = envelope;
  return {
    ...envelope,
    messages: inlineMedia(dialectFor(provider), messages, base64),
    attic: attic.map((entry) => inlineEntry(entry, base64)),
  };
}

function inlineEntry(entry: JsonObject, base64: Base64ByKey): JsonObject {
  const [unit] = readAttic([entry]).filter(isUnit);
  return unit === undefined
    ? entry
    : { ...entry, messages: inlineMedia(DIALECTS[unit.dialect], unit.messages, base64) };
}

/** Bytes that stand in their places are in the table no more, but for files that have an address of their own. */
function tableBeside(
  base64: Base64ByKey,
  media: Envelope["media"],
  before: Envelope["media"],
): Envelope["media"] {
  const inline = new Set([...base64.keys()].map(digestOfKey));
  return Object.fromEntries(
    Object.entries(media).map(([digest, { data: added, ...entry }]): [string, MediaEntry] => {
      const data = before[digest]?.data ?? added;
      const stays = data !== undefined && (entry.uri !== undefined || !inline.has(digest));
      return [digest, stays ? { ...entry, data } : entry];
    }),
  );
}

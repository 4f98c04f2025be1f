/** A conversation's envelope as it is written: of one moment, its media as the policy has them, sealed. */
import type { WorkflowHandle } from "@temporalio/client";
import { dialectFor } from "../core/dialects/index.js";
import type { Envelope, MediaEntry, MediaReportEntry } from "../core/envelope/envelope.js";
import { assertReadableSize } from "../core/envelope/readable-size.js";
import { sealEnvelope } from "../core/envelope/serialise-envelope.js";
import { UsageError } from "../core/errors/errors.js";
import { base64Length } from "../core/media/base64.js";
import { type Base64ByKey, inlineMedia, markerPlaces } from "../core/media/inline-media.js";
import { digestOfKey } from "../core/media/marker.js";
import type { MediaStore } from "../core/media/media-store.js";
import { type MediaPlan, planMedia, storedKeys } from "../core/media/plan-media.js";
import type { SavePlan } from "../core/media/policy.js";
import { BlobDamagedError } from "../media-stores/blob-damaged-error.js";
import { copyMedia } from "./copy-media.js";
import { nativeSha256 } from "./native-sha256.js";
import { readEnvelope } from "./read-pages.js";

export interface ExportOptions {
  readonly savedAt: string;
  readonly mediaStore: MediaStore;
}

/** Everything inline. */
const INLINE: SavePlan = { policy: "inline", maxInlineBytes: null };

export async function exportEnvelope(
  handle: WorkflowHandle,
  { savedAt, mediaStore }: ExportOptions,
): Promise<Envelope> {
  return withInlineMedia(await readEnvelope(handle, savedAt), mediaStore);
}

/** The envelope with every medium that the store has in its place, sealed anew. */
export function withInlineMedia(envelope: Envelope, store: Pick<MediaStore, "get">): Promise<Envelope> {
  return writtenEnvelope(envelope, INLINE, store);
}

/** The working store, and where `externalize` puts blobs. */
export interface SaveStores {
  readonly working: MediaStore;
  readonly target: MediaStore | undefined;
}

/**
 * The envelope of a conversation's state as the plan writes it, sealed. Under `externalize` its blobs are in the target store
 * when this resolves.
 *
 * @throws UsageError for `externalize` without a store; what a store throws that cannot be used.
 */
export async function savedEnvelope(
  envelope: Envelope,
  plan: SavePlan,
  stores: SaveStores,
): Promise<Envelope> {
  return (await savedWithLosses(envelope, plan, stores)).envelope;
}

export interface SavedWithLosses {
  readonly envelope: Envelope;
  /** The media whose bytes the file lacks, also those that were reported before. */
  readonly lost: readonly MediaReportEntry[];
}

/** As `savedEnvelope`. */
export async function savedWithLosses(
  envelope: Envelope,
  plan: SavePlan,
  { working, target }: SaveStores,
): Promise<SavedWithLosses> {
  const damaged = new Set<string>();
  const missing =
    plan.policy === "externalize"
      ? await externalized(envelope.media, { working, target }, { keys: storedKeys(envelope), damaged })
      : undefined;
  return written(envelope, plan, working, { missing: missing ?? new Set(), damaged });
}

export interface Externalizing {
  /** Keys beside those of the table: a digest has one entry there, and a key for each type that its bytes have. */
  readonly keys?: Iterable<string>;
  /** Gets the keys of which a store has other bytes. */
  readonly damaged?: Set<string>;
}

/**
 * Every blob of a state's media table into the target store. Resolves to the keys of those that nobody has.
 *
 * @throws UsageError where no store is named; what a store throws that cannot be used.
 */
export async function externalized(
  media: Envelope["media"],
  { working, target }: SaveStores,
  { keys = [], damaged }: Externalizing = {},
): Promise<ReadonlySet<string>> {
  if (target === undefined) throw noStore();
  const refs = Object.values(media).flatMap(({ ref }) => ref ?? []);
  const known = [...new Set([...refs, ...keys])].filter((key) => media[digestOfKey(key)] !== undefined);
  const blobs = known.map((key) => {
    const size = media[digestOfKey(key)]?.size_bytes ?? 0;
    return { key, ...(size === 0 ? {} : { sizeBytes: size }) };
  });
  return copyMedia(blobs, working, target, damaged);
}

function noStore(): UsageError {
  return new UsageError(
    'Media can be externalized only where a store is named: give mediaStore: "checkpoints/media" (on the command line --media-store), to the agent or to the save.',
  );
}

/**
 * The envelope as the plan writes it, sealed. `missing`: keys of which it is known already that nobody has their bytes; under
 * `inline` those that the store does not have are found here.
 */
export async function writtenEnvelope(
  envelope: Envelope,
  plan: SavePlan,
  store: Pick<MediaStore, "get">,
  missing: ReadonlySet<string> = new Set(),
): Promise<Envelope> {
  return (await written(envelope, plan, store, { missing, damaged: new Set() })).envelope;
}

interface KnownLosses {
  readonly missing: ReadonlySet<string>;
  /** Those of which a store has other bytes; more may be found. */
  readonly damaged: Set<string>;
}

async function written(
  envelope: Envelope,
  plan: SavePlan,
  store: Pick<MediaStore, "get">,
  { missing, damaged }: KnownLosses,
): Promise<SavedWithLosses> {
  const planned = planMedia(envelope, plan, missing, damaged);
  const keys = new Set([...planned.inMessages, ...planned.inTable]);
  if (keys.size === 0)
    return { envelope: sealEnvelope(planned.envelope, nativeSha256()), lost: planned.lost };
  // Before anything is read: the bytes may be more than the memory.
  assertReadableSize(inlineBytes(planned, envelope.media));
  const base64 = await readBase64(sparing(store, damaged), keys);
  const lost = new Set([...missing, ...[...keys].filter((key) => !base64.has(key))]);
  const whole = lost.size === missing.size ? planned : planMedia(envelope, plan, lost, damaged);
  return { envelope: sealEnvelope(filled(whole, base64), nativeSha256()), lost: whole.lost };
}

/** How many bytes of base64 the file would have at least. */
function inlineBytes({ envelope, inMessages, inTable }: MediaPlan, media: Envelope["media"]): number {
  const sizeOf = (key: string): number => media[digestOfKey(key)]?.size_bytes ?? 0;
  const placed = markerPlaces(dialectFor(envelope.provider), envelope.messages)
    .filter(({ key, as_text }) => inMessages.has(key) && as_text !== true)
    .map(({ key }) => key);
  return [...placed, ...inTable].reduce((sum, key) => sum + base64Length(sizeOf(key)), 0);
}

/** The plan with the bytes in their places. */
function filled({ envelope, inMessages, inTable }: MediaPlan, base64: Base64ByKey): Envelope {
  const shown = new Map([...base64].filter(([key]) => inMessages.has(key)));
  const table = [...inTable].flatMap((key): [string, MediaEntry][] => {
    const [entry, data] = [envelope.media[digestOfKey(key)], base64.get(key)];
    return entry === undefined || data === undefined ? [] : [[digestOfKey(key), { ...entry, data }]];
  });
  return {
    ...envelope,
    messages: inlineMedia(dialectFor(envelope.provider), envelope.messages, shown),
    media: { ...envelope.media, ...Object.fromEntries(table) },
  };
}

/** A damaged blob is one that is not there: it must not keep the rest from being saved. */
function sparing(store: Pick<MediaStore, "get">, damaged: Set<string>): Pick<MediaStore, "get"> {
  return {
    get: (key, options) =>
      store.get(key, options).catch((error: unknown) => {
        if (!(error instanceof BlobDamagedError)) throw error;
        damaged.add(key);
        return undefined;
      }),
  };
}

/** The base64 of the blobs that the store has. */
export async function readBase64(
  store: Pick<MediaStore, "get">,
  keys: Iterable<string>,
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const loaded = new Map<string, string>();
  for (const key of keys) {
    const bytes = await store.get(key, signal === undefined ? {} : { signal });
    if (bytes !== undefined)
      loaded.set(key, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"));
  }
  return loaded;
}

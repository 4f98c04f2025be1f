/** Garbage collection: blobs of a media store that nothing needs any more. */
import { existsSync } from "node:fs";
import { ClosedConversations } from "../connection/closed-conversations.js";
import { openMediaStore, openNamedStore, storeLocation } from "../connection/open-media-store.js";
import { isSamePlace } from "../connection/open-payload-store.js";
import { cleanText } from "../core/errors/clean-text.js";
import { HoldfastError, UsageError } from "../core/errors/errors.js";
import { digestOfKey } from "../core/media/marker.js";
import type { MediaStore, StoredBlob, StoredLeftover } from "../core/media/media-store.js";
import { isS3Url } from "../media-stores/s3-location.js";
import type { ClientContext } from "./client-context.js";
import { referencesOfEnvelopes } from "./garbage-envelopes.js";
import { ConversationReferences, type KeptEnvelopes } from "./garbage-references.js";
import { assertOptionsOf } from "./option-names.js";

export interface GarbageOptions {
  /** Deletes what is found. Without it nothing is changed. */
  readonly delete?: boolean;
  /** Blobs that were put less than so many milliseconds ago stay: a turn's files are put before it is accepted. Default: a day. */
  readonly olderThanMs?: number;
  /** Paths of envelopes whose media stay, or of folders in which every `.json` file is one. */
  readonly envelopes?: readonly string[];
  /** The store to look through: a folder, an `s3://` URL, or the name of a registered one. Default: the working store. */
  readonly mediaStore?: string;
}

export interface GarbageReport {
  /** The folder or the URL of the store. */
  readonly store: string;
  readonly deleted: boolean;
  readonly older_than_ms: number;
  /** What nothing needs, or what was deleted, the oldest first. */
  readonly garbage: readonly StoredBlob[];
  /** Of all garbage. */
  readonly size_bytes: number;
  /** What writes and uploads that were killed have left in the store for a day or longer; deleted with the garbage. */
  readonly leftovers: readonly StoredLeftover[];
  /** Why such could not be listed or deleted, in one line; the garbage was. */
  readonly leftovers_error?: string;
  /** What was read to find it. */
  readonly scanned: {
    readonly blobs: number;
    readonly open_conversations: number;
    readonly closed_conversations: number;
    readonly envelopes: number;
  };
}

const DAY_MS: number = 24 * 60 * 60 * 1000;
/** Temporal's external payloads, should a store of them be named here: without them no workflow can be replayed. */
const PAYLOAD = /\.payload$/;

/** A store that can be looked through and cleaned. */
type ListedStore = MediaStore & Required<Pick<MediaStore, "list" | "delete">>;

interface Scan {
  readonly store: ListedStore;
  readonly before: Date;
  /** Needed by the envelopes that were named. */
  readonly named: ReadonlySet<string>;
  readonly references: ConversationReferences;
}

/**
 * Looks through a store, and with `delete` deletes what is older than the bound and needed by no named envelope, no open
 * conversation and no last envelope of a closed one. Conversations and ages are looked at again before anything is deleted.
 *
 * @throws UsageError for a store that cannot list or delete; what reading an envelope, a conversation or the store throws:
 * nothing has been deleted then.
 */
export async function collectGarbage(
  context: ClientContext,
  options: GarbageOptions = {},
): Promise<GarbageReport> {
  assertOptionsOf("gc", options);
  const { delete: deletes = false, envelopes, mediaStore } = options;
  const olderThan = ageOf(options.olderThanMs);
  const paths = pathsOf(envelopes);
  const { location, store, kept } = openTarget(context, mediaStore);
  const before = new Date(Date.now() - olderThan);
  const { blobs, scan, found, count } = await nothingDeleted(async () => {
    const named = await referencesOfEnvelopes(paths, context.cwd);
    const references = new ConversationReferences(context, kept);
    const scan: Scan = { store, before, named: named.digests, references };
    const blobs = await blobsOf(store);
    await references.gather();
    const found = unneeded(blobs, scan);
    return { blobs, scan, count: named.count, found: deletes ? await lookAgain(found, scan) : found };
  });
  const garbage = deletes ? await deleteAll(found, scan) : found;
  const leftovers = await leftoversOf(store, deletes);
  return {
    store: location,
    deleted: deletes,
    older_than_ms: olderThan,
    garbage,
    ...leftovers,
    size_bytes: garbage.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    scanned: {
      blobs: blobs.length,
      open_conversations: scan.references.openCount,
      closed_conversations: scan.references.closedCount,
      envelopes: count,
    },
  };
}

/** However young the garbage may be: a write that goes on is not to lose its file. What was deleted is told all the same. */
async function leftoversOf(
  store: ListedStore,
  deletes: boolean,
): Promise<Pick<GarbageReport, "leftovers" | "leftovers_error">> {
  try {
    const found = await store.leftovers?.(new Date(Date.now() - DAY_MS), { delete: deletes });
    return { leftovers: found ?? [] };
  } catch (error) {
    if (error instanceof HoldfastError) return { leftovers: [], leftovers_error: error.message };
    throw error;
  }
}

/** What fails before the first deletion says that there was none. */
async function nothingDeleted<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HoldfastError)
      error.message = error.message.replace(/\.?$/, ". Nothing was deleted.");
    throw error;
  }
}

interface Target {
  readonly location: string;
  readonly store: ListedStore;
  readonly kept: readonly KeptEnvelopes[];
}

/** What is to be looked through, and where last envelopes are kept: in the working store, and in the store itself. */
function openTarget(context: ClientContext, mediaStore: string | undefined): Target {
  const { settings, cwd, stores } = context;
  const working = { closed: context.closed, store: context.mediaStore };
  if (mediaStore === undefined)
    return {
      location: settings.mediaStore,
      store: listed(working.store, settings.mediaStore),
      kept: [working],
    };
  if (Object.hasOwn(stores, mediaStore))
    return {
      location: mediaStore,
      store: listed(openNamedStore(mediaStore, stores), mediaStore),
      kept: [working],
    };
  const location = storeLocation(mediaStore, { stores, cwd });
  assertNoPayloads(location, settings.payloadStore);
  assertThere(location, mediaStore);
  const store = openMediaStore(location);
  const own = { closed: new ClosedConversations(store, location), store };
  return { location, store: listed(store, location), kept: [working, own] };
}

function assertNoPayloads(location: string, payloadStore: string): void {
  if (!isSamePlace(location, payloadStore)) return;
  throw new UsageError(
    `${location} is the store of external payloads (HOLDFAST_PAYLOAD_STORE): conversations are replayed from them, and gc never touches them.`,
  );
}

/** A name that is misspelt would be a store without garbage. */
function assertThere(location: string, given: string): void {
  if (isS3Url(location) || existsSync(location)) return;
  throw new UsageError(`There is no media store at ${cleanText(given, 500)}: check the path of its folder.`);
}

function listed(store: MediaStore, location: string): ListedStore {
  if (store.list !== undefined && store.delete !== undefined) return store as ListedStore;
  throw new UsageError(
    `The media store ${location} cannot be cleaned: it has no \`list\` and \`delete\`. Add them, or clean it with its own tools.`,
  );
}

function ageOf(olderThanMs: number | undefined): number {
  if (olderThanMs === undefined) return DAY_MS;
  if (typeof olderThanMs === "number" && olderThanMs >= 0 && Number.isFinite(olderThanMs)) return olderThanMs;
  throw new UsageError("`olderThanMs` is a number of milliseconds, 0 or more: 86_400_000 is a day.");
}

function pathsOf(envelopes: readonly string[] | undefined): readonly string[] {
  if (envelopes === undefined) return [];
  if (Array.isArray(envelopes) && envelopes.every((path) => typeof path === "string" && path !== ""))
    return envelopes;
  throw new UsageError('`envelopes` is a list of paths, also for one: envelopes: ["checkpoints"].');
}

async function blobsOf(store: ListedStore): Promise<readonly StoredBlob[]> {
  const blobs: StoredBlob[] = [];
  for await (const blob of store.list()) if (!PAYLOAD.test(blob.key)) blobs.push(blob);
  return blobs.sort((a, b) => a.modified_at.localeCompare(b.modified_at));
}

function unneeded(blobs: readonly StoredBlob[], { before, named, references }: Scan): readonly StoredBlob[] {
  return blobs.filter(({ key, modified_at }) => {
    const digest = digestOfKey(key);
    return (
      Date.parse(modified_at) < before.getTime() && !named.has(digest) && !references.digests.has(digest)
    );
  });
}

/** Conversations that have come, and blobs that were put again, since the store was looked through are seen now. */
async function lookAgain(found: readonly StoredBlob[], scan: Scan): Promise<readonly StoredBlob[]> {
  if (found.length === 0) return found;
  await scan.references.gather();
  const before = new Set(found.map(({ key }) => key));
  return unneeded(await blobsOf(scan.store), scan).filter(({ key }) => before.has(key));
}

async function deleteAll(found: readonly StoredBlob[], scan: Scan): Promise<readonly StoredBlob[]> {
  const deleted: StoredBlob[] = [];
  for (const blob of found) if (await deleteOld(scan, blob.key)) deleted.push(blob);
  return deleted;
}

async function deleteOld({ store, before }: Scan, key: string): Promise<boolean> {
  if (store.deleteOlder !== undefined) return store.deleteOlder(key, before);
  await store.delete(key);
  return true;
}

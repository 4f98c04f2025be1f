/** The files of one call that its provider keeps: what must be uploaded, what has died, and what the turn says of it. */
import pLimit from "p-limit";
import type { CallModelResult } from "../core/conversation/activity-contract.js";
import type { MediaUpload } from "../core/conversation/messages.js";
import type { FileSubstitute } from "../core/dialects/dialect.js";
import type { FileMarker, MediaEntry, MediaReportEntry } from "../core/envelope/envelope.js";
import { ProviderFailure } from "../core/errors/provider-failure.js";
import { digestOfKey, keyOf } from "../core/media/marker.js";
import type { MediaStore } from "../core/media/media-store.js";
import { mediaText } from "../core/media/media-text.js";
import { UNKNOWN_MIME_TYPE } from "../core/media/mime.js";
import { BlobDamagedError } from "../media-stores/blob-damaged-error.js";
import { blamingAttachments } from "../providers/blame-attachment.js";
import type { UploadedFile } from "../providers/provider.js";
import { UploadSizeError } from "../providers/upload-blob.js";
import type { MediaTable } from "./read-transcript.js";
import type { FilePlace, FileSubstitutes } from "./refer-files.js";
import type { StoredFile, UploadRegistry } from "./upload-registry.js";

/** Uploads at the same time; each holds 8 MiB. */
const UPLOADS = 4;
/** A file that dies this soon is taken for dead: the service must still find it when it reads the request. */
const MARGIN_MS = 60_000;
/** Media that came inline stay so up to this many bytes together; what is above is uploaded. */
const INLINE_BYTES = 20 * 1024 * 1024;
const GONE = "its upload has expired and cannot be made again";

export interface FileReferencesOptions {
  readonly registry: UploadRegistry;
  readonly store: Pick<MediaStore, "get" | "getStream">;
  readonly places: readonly FilePlace[];
  /** The conversation's media table. */
  readonly media: MediaTable;
  /** The files of the turn's own message. */
  readonly attached: readonly FileMarker[];
  /** From an index of what is sent to one of the history. */
  historyIndex(sentIndex: number): number;
  /** Milliseconds since the epoch. */
  now(): number;
}

type Said = Pick<CallModelResult, "media" | "media_report" | "media_uploads">;
type Reupload = "expired_reuploaded" | "dead_uri_reuploaded";

export class FileReferences {
  readonly #options: FileReferencesOptions;
  readonly #attached: ReadonlyMap<string, MediaEntry>;
  readonly #changed = new Map<string, MediaEntry>();
  readonly #uploads = new Map<string, MediaUpload>();
  readonly #reports = new Map<string, MediaReportEntry[]>();
  #substitutes: FileSubstitutes = {};

  constructor(options: FileReferencesOptions) {
    this.#options = options;
    this.#attached = new Map(options.attached.flatMap(attachedEntry));
  }

  get substitutes(): FileSubstitutes {
    return this.#substitutes;
  }

  /** What the turn's result says of its files. */
  get said(): Said {
    const { places } = this.#options;
    const uploads = new Set(places.flatMap(({ key = "" }) => this.#uploads.get(digestOfKey(key)) ?? []));
    const report = places.flatMap(({ id }) => this.#reports.get(id) ?? []);
    return {
      ...(this.#changed.size === 0 ? {} : { media: Object.fromEntries(this.#changed) }),
      ...(report.length === 0 ? {} : { media_report: report }),
      ...(uploads.size === 0 ? {} : { media_uploads: [...uploads] }),
    };
  }

  /**
   * Finds an address that is alive for every file of the request, uploading what needs it.
   *
   * @throws ProviderFailure, what the store throws, or the signal's reason.
   */
  async resolve(signal: AbortSignal): Promise<void> {
    const { places } = this.#options;
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const limit = pLimit(UPLOADS);
    const inline = this.#inlineKeys();
    const settled = await Promise.allSettled(
      places.map((place) =>
        limit(async () => {
          either.throwIfAborted();
          if (inline.has(place.id)) return undefined;
          const substitute = await this.#resolve(place, either);
          return substitute === undefined ? undefined : ([place.id, substitute] as const);
        }).catch((error: unknown) => {
          // The first error stops the others, which then reject with that very error.
          stop.abort(error);
          throw error;
        }),
      ),
    );
    const failed = settled.find((one) => one.status === "rejected");
    if (failed !== undefined) throw signal.aborted ? signal.reason : (stop.signal.reason ?? failed.reason);
    this.#substitutes = Object.fromEntries(
      settled.flatMap((one) => (one.status === "fulfilled" && one.value !== undefined ? [one.value] : [])),
    );
  }

  /** The call was refused: asks for each of its addresses whether it is alive. True when another call makes sense. */
  async resolveAgain(signal: AbortSignal): Promise<boolean> {
    const before = this.#substitutes;
    const kept = this.#options.places.flatMap(({ uri }) => (uri === undefined || uri in before ? [] : [uri]));
    const used = Object.values(before).flatMap((one) => ("uri" in one ? [one.uri] : []));
    if (kept.length + used.length === 0) return false;
    this.#options.registry.doubt([...kept, ...used]);
    await this.resolve(signal);
    return JSON.stringify(before) !== JSON.stringify(this.#substitutes);
  }

  /** Media that were never uploaded, as far as they fit the request. */
  #inlineKeys(): ReadonlySet<string> {
    const inline = new Set<string>();
    let bytes = 0;
    for (const { key } of this.#options.places) {
      if (key === undefined || this.#attached.has(key)) continue;
      const entry = this.#entry(key);
      if (entry?.uri !== undefined) continue;
      const size = entry?.size_bytes ?? 0;
      if (entry !== undefined && bytes + size > INLINE_BYTES) continue;
      bytes += size;
      inline.add(key);
    }
    return inline;
  }

  #entry(key: string): MediaEntry | undefined {
    const digest = digestOfKey(key);
    return this.#changed.get(digest) ?? this.#options.media[digest] ?? this.#attached.get(key);
  }

  async #resolve(place: FilePlace, signal: AbortSignal): Promise<FileSubstitute | undefined> {
    const { key } = place;
    if (key === undefined) return this.#resolveAddress(place, signal);
    const entry = this.#entry(key);
    if (entry === undefined) return undefined;
    const known = entry.uri === undefined ? undefined : await this.#stateOf(entry, signal);
    if (known === "alive" && entry.uri !== undefined) {
      this.#keep(key, entry);
      return { uri: entry.uri };
    }
    const uploaded = await this.#upload(place, key, entry, signal);
    if (uploaded === undefined) return entry.uri === undefined ? undefined : this.#gone(place, entry);
    this.#keep(key, { ...entry, ...uploaded }, true);
    if (known !== undefined && known !== "alive") this.#reported(known, place, entry);
    return { uri: uploaded.uri };
  }

  /** An address in the history itself: nobody has its bytes. */
  async #resolveAddress(place: FilePlace, signal: AbortSignal): Promise<FileSubstitute | undefined> {
    const { uri = "", mime_type = UNKNOWN_MIME_TYPE } = place;
    const known = Object.values(this.#options.media).find((entry) => entry.uri === uri);
    const entry = { mime_type, size_bytes: 0, ...known, uri };
    return (await this.#stateOf(entry, signal)) === "alive" ? undefined : this.#gone(place, entry);
  }

  async #stateOf(entry: MediaEntry, signal: AbortSignal): Promise<"alive" | Reupload> {
    const { uri = "" } = entry;
    if (this.#isExpired(entry)) return "expired_reuploaded";
    return (await this.#options.registry.isUsable(uri, signal)) ? "alive" : "dead_uri_reuploaded";
  }

  #isExpired({ expiration_time }: { readonly expiration_time?: string }): boolean {
    return expiration_time !== undefined && Date.parse(expiration_time) - MARGIN_MS <= this.#options.now();
  }

  /** Undefined where its bytes cannot be had, or the service does not take again what the history has. */
  async #upload(
    { mime_type }: FilePlace,
    key: string,
    entry: MediaEntry,
    signal: AbortSignal,
  ): Promise<UploadedFile | undefined> {
    const { registry, store } = this.#options;
    const { size_bytes, name = key } = entry;
    const file: StoredFile = { key, name, size_bytes, mime_type: mime_type ?? entry.mime_type };
    try {
      return await registry.upload(file, { store, signal, isExpired: (live) => this.#isExpired(live) });
    } catch (error) {
      if (this.#attached.has(key)) throw blamingAttachments(error, [name]);
      // One bad file of the history must not end every turn to come.
      if (isOfFile(error)) return undefined;
      throw error;
    }
  }

  /** The table's entry, and the turn's upload, for a file of this turn or one that was uploaded again. */
  #keep(key: string, entry: MediaEntry, isNew = false): void {
    if (!isNew && !this.#attached.has(key)) return;
    const { uri = "", expiration_time = "", name = key, mime_type, size_bytes } = entry;
    const sha256 = digestOfKey(key);
    this.#changed.set(sha256, { ...entry, ...this.#attached.get(key), uri, expiration_time });
    this.#uploads.set(sha256, { uri, expiration_time, name, mime_type, size_bytes, sha256 });
  }

  #gone(place: FilePlace, entry: MediaEntry): FileSubstitute {
    this.#reported("expired_unavailable", place, entry);
    return { text: mediaText(entry.mime_type, entry.size_bytes, GONE) };
  }

  #reported(reason: MediaReportEntry["reason"], { id, index }: FilePlace, entry: MediaEntry): void {
    const { mime_type, size_bytes: size, uri } = entry;
    const message_index = this.#options.historyIndex(index);
    const said = this.#reports.get(id) ?? [];
    if (said.some((one) => one.reason === reason && one.uri === uri)) return;
    const address = uri === undefined ? {} : { uri };
    this.#reports.set(id, [...said, { reason, mime_type, size, message_index, ...address }]);
  }
}

function isOfFile(error: unknown): boolean {
  return (
    error instanceof BlobDamagedError ||
    error instanceof UploadSizeError ||
    (error instanceof ProviderFailure && error.kind === "attachment_refused")
  );
}

function attachedEntry(file: FileMarker): readonly (readonly [key: string, entry: MediaEntry])[] {
  const key = keyOf(file.marker);
  if (key === undefined) return [];
  const { mime_type, size_bytes, name, json_bytes } = file;
  return [
    [key, { mime_type, size_bytes, name, ref: key, ...(json_bytes === undefined ? {} : { json_bytes }) }],
  ];
}

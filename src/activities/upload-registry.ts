/** What this process knows of the files that a service keeps: one blob is uploaded once, one address asked about once. */
import { LRUCache } from "lru-cache";
import type { MediaStore } from "../core/media/media-store.js";
import { streamFrom } from "../media-stores/stream-from.js";
import type { FileUpload, ProviderFiles, UploadedFile } from "../providers/provider.js";
import { SharedWork } from "./shared-work.js";

/** A blob of the working store, as it is to be uploaded. */
export interface StoredFile extends Omit<FileUpload, "open"> {
  readonly key: string;
}

export interface UploadOptions {
  readonly store: Pick<MediaStore, "get" | "getStream">;
  readonly signal: AbortSignal;
  /** True for a file that is not to be counted on any more. */
  isExpired(file: UploadedFile): boolean;
}

const MOST_FILES = 10_000;

const registries = new WeakMap<ProviderFiles, UploadRegistry>();

export class UploadRegistry {
  readonly #files: ProviderFiles;
  readonly #live = new LRUCache<string, UploadedFile>({ max: MOST_FILES });
  readonly #usable = new LRUCache<string, boolean>({ max: MOST_FILES });
  readonly #uploading = new SharedWork<UploadedFile | undefined>();
  readonly #asking = new SharedWork<boolean>();

  private constructor(files: ProviderFiles) {
    this.#files = files;
  }

  /** One for each adapter, and with it for each key and address. */
  static of(files: ProviderFiles): UploadRegistry {
    const known = registries.get(files) ?? new UploadRegistry(files);
    registries.set(files, known);
    return known;
  }

  /**
   * An upload of the blob that is alive: an earlier one of this process, one that is on its way, or a new one. Undefined
   * where the store does not have the blob.
   */
  async upload(file: StoredFile, options: UploadOptions): Promise<UploadedFile | undefined> {
    const id = `${file.key} ${file.mime_type}`;
    const live = this.#live.get(id);
    if (live !== undefined && !options.isExpired(live) && (await this.isUsable(live.uri, options.signal))) {
      return live;
    }
    return this.#uploading.run(id, options.signal, async (signal) => {
      const source = await streamFrom(options.store, file.key, { signal });
      if (source === undefined) return undefined;
      const uploaded = await this.#files.upload({ ...file, open: () => source }, signal);
      this.#live.set(id, uploaded);
      this.#usable.set(uploaded.uri, true);
      return uploaded;
    });
  }

  /** Asked of the service once for each address, until it is doubted. */
  async isUsable(uri: string, signal: AbortSignal): Promise<boolean> {
    const known = this.#usable.get(uri);
    if (known !== undefined) return known;
    return this.#asking.run(uri, signal, async (shared) => {
      const isUsable = await this.#files.isUsable(uri, shared);
      this.#usable.set(uri, isUsable);
      return isUsable;
    });
  }

  /** A call was refused: what was known of these addresses may hold no more. */
  doubt(uris: Iterable<string>): void {
    for (const uri of uris) this.#usable.delete(uri);
  }
}

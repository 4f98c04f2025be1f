/** Small JSON files in the folder `closed` beside a store's blobs, where no blob's key can ever lead. */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { collect } from "../media-stores/collect.js";
import { MediaStoreUnavailableError } from "../media-stores/media-store-unavailable-error.js";
import { isAbsent } from "../media-stores/read-regular-file.js";
import { isS3Url } from "../media-stores/s3-location.js";
import { openS3Objects, type S3Objects } from "../media-stores/s3-objects.js";
import { reasonOf, writeFileAtomically } from "../media-stores/write-file-atomically.js";

const FOLDER = "closed";

export interface PointerFiles {
  /** Whole or not at all. */
  write(name: string, text: string): Promise<void>;
  /** Undefined where there is none. @throws MediaStoreUnavailableError where it cannot be read. */
  read(name: string): Promise<string | undefined>;
  names(): Promise<readonly string[]>;
  /** Deleting what is not there is no error. @throws MediaStoreUnavailableError */
  delete(name: string): Promise<void>;
  /** Where a file is, for messages. */
  place(name: string): string;
}

/** `root` is the setting of the store: an absolute folder, or an `s3://` URL. */
export function openPointerFiles(root: string): PointerFiles {
  return isS3Url(root) ? new S3PointerFiles(root) : new FolderPointerFiles(join(root, FOLDER));
}

class FolderPointerFiles implements PointerFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  write(name: string, text: string): Promise<void> {
    return writeFileAtomically(join(this.#folder, name), text, { mode: 0o600, folderMode: 0o700 });
  }

  read(name: string): Promise<string | undefined> {
    const file = join(this.#folder, name);
    return readFile(file, "utf8").catch((error: unknown) => this.#absent(file, error));
  }

  async names(): Promise<readonly string[]> {
    return (await readdir(this.#folder).catch((error: unknown) => this.#absent(this.#folder, error))) ?? [];
  }

  async delete(name: string): Promise<void> {
    const file = join(this.#folder, name);
    await rm(file, { force: true }).catch((error: unknown) => {
      throw new MediaStoreUnavailableError(this.#folder, `Cannot delete ${file}: ${reasonOf(error)}.`, {
        cause: error,
      });
    });
  }

  place(name: string): string {
    return join(this.#folder, name);
  }

  /** What cannot be read is not nothing: garbage collection would take what it points to. */
  #absent(path: string, error: unknown): undefined {
    if (isAbsent(error)) return undefined;
    throw new MediaStoreUnavailableError(this.#folder, `Cannot read ${path}: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

class S3PointerFiles implements PointerFiles {
  readonly #objects: S3Objects;

  constructor(url: string) {
    this.#objects = openS3Objects(url, FOLDER);
  }

  async write(name: string, text: string): Promise<void> {
    await this.#objects.write(name, new TextEncoder().encode(text));
  }

  async read(name: string): Promise<string | undefined> {
    const found = await this.#objects.read(name);
    return found === undefined ? undefined : new TextDecoder().decode(await collect(found.chunks));
  }

  async names(): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const { name } of this.#objects.list("")) names.push(name);
    return names;
  }

  delete(name: string): Promise<void> {
    return this.#objects.delete(name);
  }

  place(name: string): string {
    return `${this.#objects.location}/${name}`;
  }
}

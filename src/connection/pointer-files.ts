/** Small JSON files in the folder `closed` beside a store's blobs, where no blob's key can ever lead. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { collect } from "../media-stores/collect.js";
import { isS3Url } from "../media-stores/s3-location.js";
import { openS3Objects, type S3Objects } from "../media-stores/s3-objects.js";
import { writeFileAtomically } from "../media-stores/write-file-atomically.js";

const FOLDER = "closed";

export interface PointerFiles {
  /** Whole or not at all. */
  write(name: string, text: string): Promise<void>;
  /** Undefined where there is none. */
  read(name: string): Promise<string | undefined>;
  names(): Promise<readonly string[]>;
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
    return readFile(join(this.#folder, name), "utf8").catch(() => undefined);
  }

  names(): Promise<readonly string[]> {
    return readdir(this.#folder).catch(() => []);
  }
}

class S3PointerFiles implements PointerFiles {
  readonly #objects: S3Objects;

  constructor(url: string) {
    this.#objects = openS3Objects(url, FOLDER);
  }

  write(name: string, text: string): Promise<void> {
    return this.#objects.write(name, new TextEncoder().encode(text));
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
}

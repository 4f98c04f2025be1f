/** The uploaded files of a simulated Files API, and how long they live. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../../core/json.js";

export interface StoredFile {
  /** `files/abc123` */
  readonly name: string;
  readonly uri: string;
  readonly mimeType: string;
  readonly displayName: string | undefined;
  readonly bytes: Buffer;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The key with which it was uploaded: nobody else may use it. */
  readonly owner: string;
}

export interface NewFile {
  readonly name: string | undefined;
  readonly displayName: string | undefined;
  readonly mimeType: string;
  readonly bytes: Buffer;
  readonly owner: string;
  /** The Files API's own address, under which the file's URI lies. */
  readonly baseUrl: string;
}

export type FileState = "PROCESSING" | "ACTIVE" | "FAILED";

/** How new files become usable. */
export interface FileProcessing {
  readonly milliseconds: number;
  readonly fails?: boolean;
}

const LIFETIME_MS = 48 * 3_600_000;

export class FileStore {
  readonly #files = new Map<string, StoredFile>();
  readonly #now: () => number;
  readonly #processing: FileProcessing | undefined;
  #count = 0;

  constructor(now: () => number, processing?: FileProcessing) {
    this.#now = now;
    this.#processing = processing;
  }

  add(file: NewFile): StoredFile {
    this.#count += 1;
    const name = file.name ?? `files/${nameFor(file.bytes, this.#count)}`;
    const createdAt = this.#now();
    const stored: StoredFile = {
      name,
      uri: `${file.baseUrl}/v1beta/${name}`,
      mimeType: file.mimeType,
      displayName: file.displayName,
      bytes: file.bytes,
      createdAt,
      expiresAt: createdAt + LIFETIME_MS,
      owner: file.owner,
    };
    this.#files.set(name, stored);
    return stored;
  }

  /** Undefined for a file that never was, has expired or belongs to another key: the service tells no difference. */
  find(name: string, owner: string): StoredFile | undefined {
    const file = this.#files.get(name);
    return file !== undefined && file.owner === owner && file.expiresAt > this.#now() ? file : undefined;
  }

  stateOf({ createdAt }: StoredFile): FileState {
    const { milliseconds, fails } = this.#processing ?? { milliseconds: 0 };
    if (this.#now() - createdAt < milliseconds) return "PROCESSING";
    return fails === true ? "FAILED" : "ACTIVE";
  }

  /** The file behind a URI that an earlier upload gave out. */
  findByUri(uri: string): StoredFile | undefined {
    const file = this.#files.get(fileNameIn(uri) ?? "");
    return file?.uri === uri ? file : undefined;
  }

  list(owner: string): readonly StoredFile[] {
    return [...this.#files.values()].filter(({ name }) => this.find(name, owner) !== undefined);
  }

  remove(name: string): void {
    this.#files.delete(name);
  }

  clear(): void {
    this.#files.clear();
  }
}

/** `files/NAME` in the URI of an uploaded file; undefined for any other URI. */
export function fileNameIn(uri: string): string | undefined {
  return /\/v1(?:beta|alpha)?\/(files\/[a-z0-9-]+)$/.exec(uri)?.[1];
}

/** The file as the API shows it. */
export function fileResource(file: StoredFile, state: FileState): JsonObject {
  const created = new Date(file.createdAt).toISOString();
  return {
    name: file.name,
    ...(file.displayName === undefined ? {} : { displayName: file.displayName }),
    mimeType: file.mimeType,
    sizeBytes: String(file.bytes.length),
    createTime: created,
    updateTime: created,
    expirationTime: new Date(file.expiresAt).toISOString(),
    sha256Hash: Buffer.from(createHash("sha256").update(file.bytes).digest("hex")).toString("base64"),
    uri: file.uri,
    state,
    source: "UPLOADED",
    ...(state === "FAILED" ? { error: { code: 3, message: "The file could not be processed." } } : {}),
  };
}

function nameFor(bytes: Buffer, count: number): string {
  return createHash("sha256").update(bytes).update(String(count)).digest("hex").slice(0, 12);
}

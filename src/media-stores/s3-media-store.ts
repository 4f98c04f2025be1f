/** A media store on S3, or on any service that speaks S3: one object a blob, named by its key, under one prefix. */
import type { S3Client as AwsS3Client } from "@aws-sdk/client-s3";
import { UsageError } from "../core/errors/errors.js";
import { assertMediaKey, isMediaKey } from "../core/media/marker.js";
import type {
  LeftoverOptions,
  MediaStore,
  MediaStoreCallOptions,
  PutStreamOptions,
  StoredBlob,
  StoredLeftover,
} from "../core/media/media-store.js";
import { BlobDamagedError } from "./blob-damaged-error.js";
import { collect } from "./collect.js";
import { assertDigest, verifiedStream } from "./digest.js";
import { MediaStoreUnavailableError } from "./media-store-unavailable-error.js";
import { createS3Client } from "./s3-client.js";
import { cleanPrefix, isBucketName, parseS3Url } from "./s3-location.js";
import { PART_BYTES, S3Objects } from "./s3-objects.js";
import { streamOf } from "./stream-from.js";
import { VerifiedBlobs } from "./verified-blobs.js";

/** An `S3Client` of `@aws-sdk/client-s3`. Its types are not named here: the package is an optional peer. */
export interface S3Client {
  readonly config: object;
  send(command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

export interface S3MediaStoreOptions {
  /** The client, or what makes it when it is first needed. */
  readonly client: S3Client | (() => S3Client | Promise<S3Client>);
  readonly bucket: string;
  /** Folder-like start of the objects' names. Default: none. */
  readonly prefix?: string;
  /** Milliseconds in which something must move: an answer, a chunk, a part. Default: 60,000. */
  readonly timeoutMs?: number;
}

/** A blob that is put again is renewed when it is older: garbage collection spares blobs of a day. */
const YOUNG_MS: number = 12 * 60 * 60 * 1000;
const ADVICE = "Put it under the key of its own digest.";

export class S3MediaStore implements MediaStore {
  readonly #objects: S3Objects;
  readonly #verified = new VerifiedBlobs();

  /** @throws UsageError for a malformed bucket or prefix. */
  constructor({ client, bucket, prefix = "", timeoutMs }: S3MediaStoreOptions) {
    const refuse = (reason: string): UsageError =>
      new UsageError(`s3://${bucket}/${prefix} is no place on S3: ${reason}.`);
    if (!isBucketName(bucket)) throw refuse("the bucket's name is malformed");
    this.#objects = new S3Objects({
      bucket,
      prefix: cleanPrefix(prefix, refuse),
      client: async () => asAwsClient(await (typeof client === "function" ? client() : client)),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  }

  /**
   * The store at `s3://bucket/prefix`, with `?region=…&endpoint=…&path-style=true` where wanted; all else is found as the AWS SDK
   * finds it. Nothing is loaded or connected before the first call.
   *
   * @throws UsageError for another form; each method where the SDK is not installed.
   */
  static fromUrl(url: string): S3MediaStore {
    const location = parseS3Url(url);
    const { bucket, prefix } = location;
    return new S3MediaStore({ client: () => createS3Client(location), bucket, prefix });
  }

  /** `s3://bucket/prefix`. */
  get location(): string {
    return this.#objects.location;
  }

  /**
   * Sends the blob whole or not at all, in parts above 8 MiB. A blob that is there is not sent again, unless it is damaged: it is
   * read once where this process has not seen it whole.
   *
   * @throws UsageError for a malformed key, BlobDamagedError for bytes of another digest, MediaStoreUnavailableError.
   */
  async put(key: string, bytes: Uint8Array, options: MediaStoreCallOptions = {}): Promise<void> {
    assertMediaKey(key);
    if (await this.#isThere(key, bytes.byteLength, options)) return;
    await assertDigest(key, bytes, ADVICE);
    const version =
      bytes.byteLength <= PART_BYTES
        ? await this.#objects.write(key, bytes, options.signal)
        : await this.#objects.upload(key, streamOf(bytes), options.signal);
    this.#verified.add(key, version);
  }

  /** As `put`, with two parts of 8 MiB in memory at most. @throws what `put` throws, and what the source throws. */
  async putStream(
    key: string,
    source: AsyncIterable<Uint8Array>,
    options: PutStreamOptions = {},
  ): Promise<void> {
    assertMediaKey(key);
    if (await this.#isThere(key, options.sizeBytes, options)) return;
    const chunks = verifiedStream(key, source, ADVICE);
    this.#verified.add(key, await this.#objects.upload(key, chunks, options.signal));
  }

  /** @throws UsageError for a malformed key, BlobDamagedError for a blob that has changed, MediaStoreUnavailableError. */
  async get(key: string, { signal }: MediaStoreCallOptions = {}): Promise<Uint8Array | undefined> {
    assertMediaKey(key);
    const found = await this.#objects.read(key, signal);
    return found === undefined ? undefined : collect(this.#checked(key, found.chunks), found.size);
  }

  /** As `get`. */
  async getStream(
    key: string,
    options: MediaStoreCallOptions = {},
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    assertMediaKey(key);
    const there = await this.#objects.stat(key, options.signal);
    if (there === undefined) {
      // To look says the same of a missing blob and a missing bucket; to read tells them apart.
      const found = await this.#objects.read(key, options.signal);
      if (found === undefined) return undefined;
      found.discard();
    }
    return this.#checked(key, this.#chunksOf(key, options));
  }

  /** What is no blob is passed over. @throws MediaStoreUnavailableError. */
  async *list({ signal }: MediaStoreCallOptions = {}): AsyncGenerator<StoredBlob, void, undefined> {
    for await (const { name, size, modified } of this.#objects.list("", signal)) {
      if (isMediaKey(name)) yield { key: name, size_bytes: size, modified_at: modified.toISOString() };
    }
  }

  /** Uploads of blobs in parts that were killed, as long as the service lists such. @throws MediaStoreUnavailableError. */
  async leftovers(
    writtenBefore: Date,
    { delete: deletes = false, signal }: LeftoverOptions = {},
  ): Promise<readonly StoredLeftover[]> {
    const found: StoredLeftover[] = [];
    for (const upload of await this.#objects.begunUploads(writtenBefore, signal)) {
      const { name, size, modified } = upload;
      if (!isMediaKey(name) || (deletes && !(await this.#objects.abortUpload(upload, signal)))) continue;
      found.push({ name, size_bytes: size, modified_at: modified.toISOString() });
    }
    return found;
  }

  /** @throws UsageError for a malformed key, MediaStoreUnavailableError. */
  async delete(key: string, { signal }: MediaStoreCallOptions = {}): Promise<void> {
    assertMediaKey(key);
    await this.#objects.delete(key, signal);
  }

  /** S3 cannot tie a deletion to an age: the object is looked at just before. @throws what `delete` throws. */
  async deleteOlder(key: string, putBefore: Date, options: MediaStoreCallOptions = {}): Promise<boolean> {
    assertMediaKey(key);
    const there = await this.#objects.stat(key, options.signal);
    if (there === null)
      throw new MediaStoreUnavailableError(
        this.location,
        `Cannot look at ${key} at ${this.location}: access denied. Allow these credentials s3:GetObject there.`,
      );
    if (there !== undefined && there.modified >= putBefore) return false;
    await this.delete(key, options);
    return true;
  }

  /** True for a blob of that size with the bytes of its key, which is then young. */
  async #isThere(
    key: string,
    sizeBytes: number | undefined,
    { signal }: MediaStoreCallOptions,
  ): Promise<boolean> {
    const there = await this.#objects.stat(key, signal);
    if (there === undefined || there === null || there.size !== sizeBytes) return false;
    if (!this.#verified.has(key, there.version)) {
      if (!(await this.#isWhole(key, signal))) return false;
      this.#verified.add(key, there.version);
    }
    if (Date.now() - there.modified.getTime() < YOUNG_MS) return true;
    try {
      this.#verified.add(key, await this.#objects.renew(key, signal));
      return true;
    } catch (error) {
      // A service that cannot copy gets the bytes once more.
      if (signal?.aborted === true) throw error;
      return false;
    }
  }

  async #isWhole(key: string, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      const found = await this.#objects.read(key, signal);
      if (found === undefined) return false;
      for await (const _ of this.#checked(key, found.chunks)) {
        // Reading it to its end checks the digest.
      }
      return true;
    } catch (error) {
      if (error instanceof BlobDamagedError) return false;
      throw error;
    }
  }

  async *#chunksOf(
    key: string,
    { signal }: MediaStoreCallOptions,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const found = await this.#objects.read(key, signal);
    if (found === undefined)
      throw new MediaStoreUnavailableError(
        this.location,
        `Media blob ${key} was deleted at ${this.location} while it was read.`,
      );
    yield* found.chunks;
  }

  #checked(key: string, chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return verifiedStream(key, chunks, `Delete it at ${this.location} and attach the file again.`);
  }
}

/** @throws UsageError for what is no client of the SDK, of this copy or another. */
function asAwsClient(client: S3Client): AwsS3Client {
  if (typeof client?.send === "function") return client as unknown as AwsS3Client;
  throw new UsageError("S3MediaStore needs an S3Client of @aws-sdk/client-s3 as its client.");
}

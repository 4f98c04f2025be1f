/** Objects under one prefix of a bucket: the few calls that a store makes, with bounded patience and clear failures. */
import { addAbortSignal, Readable } from "node:stream";
import type { GetObjectCommandOutput, ListObjectsV2CommandOutput, S3Client } from "@aws-sdk/client-s3";
import { GuardedSource } from "./guarded-source.js";
import { IdleLimit } from "./idle-limit.js";
import { createS3Client } from "./s3-client.js";
import { isDenied, isMissing, isNotOffered, s3TimedOut, s3Unavailable } from "./s3-failure.js";
import { parseS3Url } from "./s3-location.js";
import { loadS3Sdk, loadS3UploadSdk, type S3Sdk } from "./s3-sdk.js";
import { begunUploads, isGoneUpload } from "./s3-uploads.js";
import { withAbort } from "./with-abort.js";

export interface S3ObjectsOptions {
  readonly bucket: string;
  /** Without slashes at its ends. */
  readonly prefix: string;
  readonly client: () => Promise<S3Client>;
  /** Milliseconds in which something must move. Default: 60,000. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;

/** The objects at `s3://bucket/prefix`, or in a folder below it. Nothing is loaded or connected before the first call. */
export function openS3Objects(url: string, folder = ""): S3Objects {
  const location = parseS3Url(url);
  const prefix = [location.prefix, folder].filter((part) => part !== "").join("/");
  return new S3Objects({ bucket: location.bucket, prefix, client: () => createS3Client(location) });
}

export interface S3ObjectStats {
  readonly name: string;
  readonly size: number;
  readonly modified: Date;
  /** Another one after every write; undefined where the service has none. */
  readonly version?: string | undefined;
}

/** An upload in parts that was begun and has not ended; `size` and `modified` are those of the parts that have come. */
export interface S3ObjectUpload extends Omit<S3ObjectStats, "version"> {
  readonly id: string;
}

export interface S3ObjectContent {
  /** As the service says it. */
  readonly size: number;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Lets go of what is not to be read: the chunks would do so only once they had begun. */
  discard(): void;
}

/** Parts of an upload. S3 wants 5 MiB at least; two are in memory at once. */
export const PART_BYTES: number = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 2;

export class S3Objects {
  /** `s3://bucket/prefix`, for messages. */
  readonly location: string;
  readonly #options: S3ObjectsOptions;
  readonly #prefix: string;
  readonly #timeoutMs: number;
  #client: Promise<S3Client> | undefined;

  constructor(options: S3ObjectsOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#prefix = options.prefix === "" ? "" : `${options.prefix}/`;
    this.location = `s3://${options.bucket}${options.prefix === "" ? "" : `/${options.prefix}`}`;
  }

  /** Null where the service does not let us look. */
  async stat(name: string, signal?: AbortSignal): Promise<S3ObjectStats | undefined | null> {
    return this.#call(`look at ${name}`, signal, async (sdk, client, abortSignal) => {
      const command = new sdk.HeadObjectCommand(this.#at(name));
      try {
        const { ContentLength, LastModified, ETag } = await client.send(command, { abortSignal });
        return { name, size: ContentLength ?? 0, modified: LastModified ?? new Date(0), version: ETag };
      } catch (error) {
        if (isMissing(error)) return undefined;
        if (isDenied(error)) return null;
        throw error;
      }
    });
  }

  /** In one step; for what fits in one part. Resolves to the version that it made. */
  async write(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<string | undefined> {
    const written = await this.#call(`write ${name}`, signal, (sdk, client, abortSignal) =>
      client.send(new sdk.PutObjectCommand({ ...this.#at(name), Body: bytes }), { abortSignal }),
    );
    return written.ETag;
  }

  /** In parts, and there only when all have come. Nothing is kept when the source fails. Resolves as `write`. */
  async upload(
    name: string,
    source: AsyncIterable<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const { Upload } = await loadS3UploadSdk();
    const guarded = new GuardedSource(source, signal);
    return this.#call(`write ${name}`, signal, async (_sdk, client, abortSignal, limit) => {
      const Body = Readable.from(guarded.chunks(), { objectMode: false });
      const upload = new Upload({
        client,
        params: { ...this.#at(name), Body },
        partSize: PART_BYTES,
        queueSize: PARTS_AT_ONCE,
      });
      upload.on("httpUploadProgress", () => limit.touch());
      const stop = (): void => void upload.abort().catch(() => undefined);
      abortSignal.addEventListener("abort", stop, { once: true });
      try {
        return (await upload.done()).ETag;
      } finally {
        abortSignal.removeEventListener("abort", stop);
        Body.destroy();
      }
    }).catch((error: unknown) => {
      throw guarded.causeOf(error);
    });
  }

  /** Undefined where there is none. The chunks are to be read at once. */
  async read(name: string, signal?: AbortSignal): Promise<S3ObjectContent | undefined> {
    const found = await this.#call(`read ${name}`, signal, async (sdk, client, abortSignal) =>
      client
        .send(new sdk.GetObjectCommand(this.#at(name)), { abortSignal })
        .then(contentOf)
        .catch(undefinedIfMissing),
    );
    if (found === undefined) return undefined;
    const { size, body } = found;
    // An error that comes after it was discarded is nobody's.
    const discard = (): void => void body.on("error", () => undefined).destroy();
    return { size, chunks: this.#chunksOf(name, body, signal), discard };
  }

  /** Makes an object young again without sending it. Resolves as `write`. */
  async renew(name: string, signal?: AbortSignal): Promise<string | undefined> {
    const at = this.#at(name);
    // Services that stand on a file system (rclone's) take the time from this entry, where S3 takes that of the copy.
    const renewal = { MetadataDirective: "REPLACE", Metadata: { mtime: `${Date.now() / 1000}` } } as const;
    const CopySource = `${at.Bucket}/${at.Key.split("/").map(encodeURIComponent).join("/")}`;
    const copied = await this.#call(`renew ${name}`, signal, (sdk, client, abortSignal) =>
      client.send(new sdk.CopyObjectCommand({ ...at, ...renewal, CopySource }), { abortSignal }),
    );
    return copied.CopyObjectResult?.ETag;
  }

  async delete(name: string, signal?: AbortSignal): Promise<void> {
    await this.#call(`delete ${name}`, signal, (sdk, client, abortSignal) =>
      client.send(new sdk.DeleteObjectCommand(this.#at(name)), { abortSignal }).catch(undefinedIfMissing),
    );
  }

  /** The objects in `folder` (`""`, or a name with a slash at its end), not those in folders below it. */
  async *list(folder: string, signal?: AbortSignal): AsyncGenerator<S3ObjectStats, void, undefined> {
    const Prefix = this.#prefix + folder;
    let token: string | undefined;
    do {
      const page: ListObjectsV2CommandOutput = await this.#listPage(Prefix, token, signal);
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        if (Key === undefined) continue;
        yield {
          name: Key.slice(this.#prefix.length),
          size: Size ?? 0,
          modified: LastModified ?? new Date(0),
        };
      }
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  /** Uploads to this place to which nothing has come since that moment; none where the service cannot list them. */
  async begunUploads(writtenBefore: Date, signal?: AbortSignal): Promise<readonly S3ObjectUpload[]> {
    const { bucket } = this.#options;
    const found = await this.#call("list the uploads", signal, (sdk, client, abortSignal, limit) => {
      const onAnswer = (): void => limit.touch();
      const search = { sdk, client, abortSignal, bucket, prefix: this.#prefix, onAnswer };
      return begunUploads(search, writtenBefore).catch((error: unknown) => {
        if (isNotOffered(error)) return [];
        throw error;
      });
    });
    return found.map(({ key, ...upload }) => ({ ...upload, name: key.slice(this.#prefix.length) }));
  }

  /** False where it has ended meanwhile. */
  async abortUpload(
    { name, id }: Pick<S3ObjectUpload, "name" | "id">,
    signal?: AbortSignal,
  ): Promise<boolean> {
    return this.#call(`end the upload of ${name}`, signal, async (sdk, client, abortSignal) => {
      const command = new sdk.AbortMultipartUploadCommand({ ...this.#at(name), UploadId: id });
      try {
        await client.send(command, { abortSignal });
        return true;
      } catch (error) {
        if (isGoneUpload(error)) return false;
        throw error;
      }
    });
  }

  #listPage(
    Prefix: string,
    token: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ListObjectsV2CommandOutput> {
    const input = { Bucket: this.#options.bucket, Prefix, Delimiter: "/" };
    return this.#call("list", signal, (sdk, client, abortSignal) =>
      client.send(
        new sdk.ListObjectsV2Command({
          ...input,
          ...(token === undefined ? {} : { ContinuationToken: token }),
        }),
        { abortSignal },
      ),
    );
  }

  #at(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#options.bucket, Key: this.#prefix + name };
  }

  /** One call with everything around it: SDK, client, patience, and the error in one line. */
  async #call<T>(
    doing: string,
    signal: AbortSignal | undefined,
    run: (sdk: S3Sdk, client: S3Client, abortSignal: AbortSignal, limit: IdleLimit) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const sdk = await loadS3Sdk();
    this.#client ??= this.#options.client();
    const client = await this.#client;
    using limit = new IdleLimit(this.#timeoutMs, signal);
    try {
      return await withAbort(run(sdk, client, limit.signal, limit), limit.signal);
    } catch (error) {
      throw this.#failure(doing, error, signal, limit);
    }
  }

  async *#chunksOf(
    name: string,
    body: Readable,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    using limit = new IdleLimit(this.#timeoutMs, signal);
    addAbortSignal(limit.signal, body);
    try {
      for await (const chunk of body) {
        limit.pause();
        yield chunk as Uint8Array;
        limit.touch();
      }
    } catch (error) {
      throw this.#failure(`read ${name}`, error, signal, limit);
    }
  }

  #failure(doing: string, error: unknown, signal: AbortSignal | undefined, limit: IdleLimit): unknown {
    if (signal?.aborted === true) return signal.reason;
    if (limit.isExpired) return s3TimedOut(this.location, doing, this.#timeoutMs);
    return s3Unavailable(this.location, doing, error);
  }
}

function contentOf({ Body, ContentLength = 0 }: GetObjectCommandOutput): {
  readonly size: number;
  readonly body: Readable;
} {
  if (Body instanceof Readable) return { size: ContentLength, body: Body };
  throw new Error("the client gives no Node stream: use the S3Client of Node");
}

function undefinedIfMissing(error: unknown): undefined {
  if (isMissing(error)) return undefined;
  throw error;
}

/** Uploads to S3 in parts that were begun and neither ended nor given up: what a killed process leaves in a bucket, unseen and paid for. */
import type {
  ListMultipartUploadsCommandInput,
  ListMultipartUploadsCommandOutput,
  MultipartUpload,
  S3Client,
} from "@aws-sdk/client-s3";
import type { S3Sdk } from "./s3-sdk.js";

export interface BegunUpload {
  /** Of the object that it would have become. */
  readonly key: string;
  readonly id: string;
  /** Of the parts that have come. */
  readonly size: number;
  /** When the last part came, or when it was begun. */
  readonly modified: Date;
}

/** Where to look, and with what. */
export interface UploadSearch {
  readonly sdk: S3Sdk;
  readonly client: S3Client;
  readonly abortSignal: AbortSignal;
  readonly bucket: string;
  readonly prefix: string;
  /** An answer has come. */
  onAnswer(): void;
}

/** Those to objects at the prefix, not in folders below it, to which nothing has come since that moment. */
export async function begunUploads(
  search: UploadSearch,
  writtenBefore: Date,
): Promise<readonly BegunUpload[]> {
  const found: BegunUpload[] = [];
  for await (const upload of listed(search)) {
    if (upload.Key === undefined || upload.UploadId === undefined) continue;
    // An upload that is begun later has no older part, so that most need no look at their parts.
    if ((upload.Initiated ?? new Date(0)) >= writtenBefore) continue;
    const begun = await withParts(search, upload, { key: upload.Key, id: upload.UploadId });
    if (begun !== undefined && begun.modified < writtenBefore) found.push(begun);
  }
  return found;
}

/** Ended or given up meanwhile: it is no upload any more. */
export function isGoneUpload(error: unknown): boolean {
  return (error as { readonly name?: string }).name === "NoSuchUpload";
}

async function* listed(search: UploadSearch): AsyncGenerator<MultipartUpload, void, undefined> {
  const { sdk, client, abortSignal, bucket, prefix } = search;
  let after: Pick<ListMultipartUploadsCommandInput, "KeyMarker" | "UploadIdMarker"> | undefined = {};
  while (after !== undefined) {
    const command = new sdk.ListMultipartUploadsCommand({
      Bucket: bucket,
      Prefix: prefix,
      Delimiter: "/",
      ...after,
    });
    const page: ListMultipartUploadsCommandOutput = await client.send(command, { abortSignal });
    search.onAnswer();
    yield* page.Uploads ?? [];
    const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
    after =
      IsTruncated === true && KeyMarker !== undefined
        ? { KeyMarker, ...(UploadIdMarker === undefined ? {} : { UploadIdMarker }) }
        : undefined;
  }
}

/** Undefined for one that is gone meanwhile. */
async function withParts(
  search: UploadSearch,
  { Initiated = new Date(0) }: MultipartUpload,
  { key, id }: Pick<BegunUpload, "key" | "id">,
): Promise<BegunUpload | undefined> {
  const { sdk, client, abortSignal, bucket } = search;
  let [size, modified] = [0, Initiated];
  let PartNumberMarker: string | undefined;
  try {
    do {
      const place = { Bucket: bucket, Key: key, UploadId: id };
      const input = PartNumberMarker === undefined ? place : { ...place, PartNumberMarker };
      const page = await client.send(new sdk.ListPartsCommand(input), { abortSignal });
      search.onAnswer();
      for (const { Size = 0, LastModified = Initiated } of page.Parts ?? []) {
        size += Size;
        if (LastModified > modified) modified = LastModified;
      }
      PartNumberMarker = page.IsTruncated === true ? page.NextPartNumberMarker : undefined;
    } while (PartNumberMarker !== undefined);
  } catch (error) {
    if (isGoneUpload(error)) return undefined;
    throw error;
  }
  return { key, id, size, modified };
}

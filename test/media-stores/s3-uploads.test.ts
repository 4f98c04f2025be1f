import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { MediaStoreUnavailableError } from "../../src/media-stores/media-store-unavailable-error.js";
import { S3MediaStore } from "../../src/media-stores/s3-media-store.js";
import { S3_START_MS, type S3Server, startS3Server } from "../support/s3-server.js";

const BYTES = Buffer.from("%PDF-1.7 the contract");
const KEY = `${createHash("sha256").update(BYTES).digest("hex")}.pdf`;
const OTHER = `${"a".repeat(64)}.mp4`;
const PART_BYTES = 5 * 1024 * 1024;

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
}, S3_START_MS);
afterAll(() => s3[Symbol.asyncDispose]());

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function begin(client: S3Client, Bucket: string, Key: string): Promise<string> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  return UploadId ?? expect.fail("no upload was begun");
}

async function sendParts(client: S3Client, Bucket: string, Key: string, count: number): Promise<string> {
  const UploadId = await begin(client, Bucket, Key);
  for (let PartNumber = 1; PartNumber <= count; PartNumber += 1) {
    const Body = Buffer.alloc(PART_BYTES, PartNumber);
    await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
  }
  return UploadId;
}

async function uploads(client: S3Client, Bucket: string): Promise<readonly string[]> {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
  return Uploads.map(({ Key }) => Key ?? "").sort();
}

const later = (): Date => new Date(Date.now() + 3_600_000);

describe("what uploads to S3 that were killed have left", () => {
  it("MED-208 is listed with the size of its parts: those of blobs under the store's own prefix", async () => {
    const { bucket } = await s3.makeBucket();
    const client = s3.client();
    await sendParts(client, bucket, `media/${KEY}`, 2);
    for (const key of [`media/notes.txt`, `media/closed/${KEY}`, `media2/${KEY}`, KEY])
      await begin(client, bucket, key);
    const store = new S3MediaStore({ client, bucket, prefix: "media" });
    const found = await store.leftovers(later());
    expect(found).toEqual([{ name: KEY, size_bytes: 2 * PART_BYTES, modified_at: expect.any(String) }]);
    expect(Math.abs(Date.parse(found[0]?.modified_at ?? "") - Date.now())).toBeLessThan(60_000);
    expect(await uploads(client, bucket)).toHaveLength(5);
  });

  it("MED-208 is ended where told, and neither a blob nor another program's upload with it", async () => {
    const { bucket } = await s3.makeBucket();
    const client = s3.client();
    const store = new S3MediaStore({ client, bucket, prefix: "media" });
    await store.put(KEY, BYTES);
    await sendParts(client, bucket, `media/${KEY}`, 1);
    for (const key of [`media/${KEY}`, `media/${OTHER}`, "media/notes.txt", `media2/${KEY}`])
      await begin(client, bucket, key);
    const found = await store.leftovers(later());
    expect(found.map(({ name }) => name).sort()).toEqual([KEY, KEY, OTHER]);
    expect(await store.leftovers(later(), { delete: true })).toEqual(found);
    expect(await uploads(client, bucket)).toEqual(["media/notes.txt", `media2/${KEY}`]);
    expect(await store.leftovers(later())).toEqual([]);
    expect(await store.get(KEY)).toEqual(BYTES);
  });

  it("MED-208 is not what goes on: an upload that was begun before, to which a part has come since", async () => {
    const { bucket } = await s3.makeBucket();
    const client = s3.client();
    const store = new S3MediaStore({ client, bucket });
    const UploadId = await begin(client, bucket, KEY);
    await delay(20);
    const moment = new Date();
    await delay(20);
    const Body = Buffer.alloc(PART_BYTES);
    await begin(client, bucket, OTHER);
    expect((await store.leftovers(moment)).map(({ name }) => name)).toEqual([KEY]);
    await client.send(new UploadPartCommand({ Bucket: bucket, Key: KEY, UploadId, PartNumber: 1, Body }));
    expect(await store.leftovers(moment, { delete: true })).toEqual([]);
    expect(await uploads(client, bucket)).toEqual([OTHER, KEY].sort());
  });

  it("MED-208 is listed to its end, however many uploads and parts a page holds", async () => {
    const { bucket } = await s3.makeBucket();
    const client = s3.client();
    await sendParts(client, bucket, KEY, 3);
    await sendParts(client, bucket, OTHER, 1);
    await begin(client, bucket, OTHER);
    client.middlewareStack.add(
      (next) => (args) => next({ ...args, input: { ...args.input, MaxUploads: 1, MaxParts: 1 } }),
      { step: "initialize", name: "short pages" },
    );
    const found = await new S3MediaStore({ client, bucket }).leftovers(later());
    expect(found.map(({ name, size_bytes }) => [name, size_bytes / PART_BYTES]).sort()).toEqual(
      [
        [KEY, 3],
        [OTHER, 0],
        [OTHER, 1],
      ].sort(),
    );
  });

  it("MED-208 is nothing at a service that lists no uploads, and where that is denied the line says what to allow", async () => {
    const ask = async (status: number): Promise<unknown> => {
      const server = createServer((_request, response) => response.writeHead(status).end());
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      const endpoint = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
      const client = s3.client({ endpoint, maxAttempts: 1 });
      return new S3MediaStore({ client, bucket: "bucket" })
        .leftovers(later())
        .catch((error: unknown) => error);
    };
    expect(await ask(501)).toEqual([]);
    const denied = await ask(403);
    expect(denied).toBeInstanceOf(MediaStoreUnavailableError);
    expect(String(denied)).toMatch(
      /Cannot list the uploads at s3:\/\/bucket: access denied\. Allow .*s3:ListBucketMultipartUploads.*\.$/,
    );
  });
});

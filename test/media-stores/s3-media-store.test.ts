import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { join } from "node:path";
import type { S3Client } from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { UsageError } from "../../src/core/errors/errors.js";
import { collect } from "../../src/media-stores/collect.js";
import { MediaStoreUnavailableError } from "../../src/media-stores/media-store-unavailable-error.js";
import { parseS3Url } from "../../src/media-stores/s3-location.js";
import { S3MediaStore } from "../../src/media-stores/s3-media-store.js";
import { loadOptional } from "../../src/media-stores/s3-sdk.js";
import { streamOf } from "../../src/media-stores/stream-from.js";
import { S3_START_MS, type S3Server, startS3Server } from "../support/s3-server.js";

const BYTES = Buffer.from("%PDF-1.7 the contract");
const KEY = `${createHash("sha256").update(BYTES).digest("hex")}.pdf`;
const DAY_MS = 86_400_000;

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
}, S3_START_MS);
afterAll(() => s3[Symbol.asyncDispose]());

const servers: Server[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Something on loopback that is no S3: it answers as told, or never. */
async function endpointOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

function useCredentials(env: Readonly<Record<string, string>> = s3.env): void {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
}

/** Counts the commands that pass through the client. */
function counting(client: S3Client): string[] {
  const sent: string[] = [];
  client.middlewareStack.add(
    (next, context) => (args) => {
      sent.push(String(context.commandName));
      return next(args);
    },
    { step: "initialize", name: "counting" },
  );
  return sent;
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => new Error("it succeeded"),
    (error: Error) => error,
  );
}

describe("S3MediaStore", () => {
  it("MED-60 keeps one object a blob, named by its key under the prefix, and passes other objects over", async () => {
    const { bucket, folder } = await s3.makeBucket();
    const store = new S3MediaStore({ client: s3.client(), bucket, prefix: "/team/media/" });
    await store.put(KEY, BYTES);
    expect(store.location).toBe(`s3://${bucket}/team/media`);
    expect(await readFile(join(folder, "team/media", KEY))).toEqual(BYTES);
    await writeFile(join(folder, "team/media", "notes.txt"), "no blob");
    await writeFile(join(folder, "team", `${"a".repeat(64)}.pdf`), "not below the prefix");
    const other = new S3MediaStore({ client: s3.client(), bucket, prefix: "team/media/closed" });
    await other.put(KEY, BYTES);
    const keys: string[] = [];
    for await (const { key } of store.list()) keys.push(key);
    expect(keys).toEqual([KEY]);
  });

  it("MED-61 does not send a blob again that is there whole, and sends one of another size", async () => {
    const { bucket, folder } = await s3.makeBucket();
    const client = s3.client();
    const store = new S3MediaStore({ client, bucket });
    await store.put(KEY, BYTES);
    const sent = counting(client);
    await store.put(KEY, BYTES);
    const source = { [Symbol.asyncIterator]: () => expect.fail("the source was read") };
    await store.putStream(KEY, source, { sizeBytes: BYTES.byteLength });
    expect(sent).toEqual(["HeadObjectCommand", "HeadObjectCommand"]);
    await writeFile(join(folder, KEY), BYTES.subarray(0, 5));
    await store.put(KEY, BYTES);
    expect(await store.get(KEY)).toEqual(BYTES);
  });

  it("MED-242 reads a blob once that it has not seen whole, and sends it again where it is damaged", async () => {
    const { bucket, folder } = await s3.makeBucket();
    const client = s3.client();
    await new S3MediaStore({ client, bucket }).put(KEY, BYTES);
    const store = new S3MediaStore({ client, bucket });
    const sent = counting(client);
    await store.put(KEY, BYTES);
    await store.put(KEY, BYTES);
    expect(sent.splice(0)).toEqual(["HeadObjectCommand", "GetObjectCommand", "HeadObjectCommand"]);
    await writeFile(join(folder, KEY), Buffer.alloc(BYTES.byteLength, "x"));
    await store.putStream(KEY, streamOf(BYTES), { sizeBytes: BYTES.byteLength });
    expect(sent.filter((command) => /^(Get|Put)/.test(command))).toEqual([
      "GetObjectCommand",
      "PutObjectCommand",
    ]);
    expect(await store.get(KEY)).toEqual(BYTES);
  });

  it("MED-62 makes a blob young again that is put after half a day, and does not send its bytes", async () => {
    const { bucket, folder } = await s3.makeBucket();
    const client = s3.client();
    const store = new S3MediaStore({ client, bucket, prefix: "media" });
    await store.put(KEY, BYTES);
    const file = join(folder, "media", KEY);
    const old = new Date(Date.now() - 2 * DAY_MS);
    await utimes(file, old, old);
    const sent = counting(client);
    await store.put(KEY, BYTES);
    expect(sent).toEqual(["HeadObjectCommand", "CopyObjectCommand"]);
    expect(Date.now() - (await stat(file)).mtimeMs).toBeLessThan(DAY_MS);
    expect(await store.get(KEY)).toEqual(BYTES);
  });

  it("MED-63 keeps nothing of an upload in parts that fails, neither an object nor its parts", async () => {
    const { bucket, folder } = await s3.makeBucket();
    const client = s3.client();
    const sent = counting(client);
    const store = new S3MediaStore({ client, bucket });
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let index = 0; index < 20; index += 1) yield randomBytes(1_000_000);
    }
    await expect(store.putStream(KEY, source())).rejects.toThrow("is damaged");
    expect(sent).toContain("AbortMultipartUploadCommand");
    expect(await readdir(folder)).toEqual([]);
  });

  it("MED-64 says in one line with the remedy what is wrong with bucket, keys or network", async () => {
    const { bucket } = await s3.makeBucket();
    const nowhere = await endpointOf(() => undefined);
    const busy = await endpointOf((_request, response) => response.writeHead(503).end());
    const denying = await endpointOf((_request, response) => response.writeHead(403).end());
    servers.shift()?.close();
    useCredentials();
    const cases: readonly (readonly [S3MediaStore, RegExp])[] = [
      [new S3MediaStore({ client: s3.client(), bucket: "none-here" }), /no such bucket.*Create it/],
      [
        new S3MediaStore({
          client: s3.client({ credentials: { accessKeyId: "holdfast", secretAccessKey: "wrong" } }),
          bucket,
        }),
        /credentials are wrong.*AWS_SECRET_ACCESS_KEY/,
      ],
      [S3MediaStore.fromUrl(`s3://${bucket}?endpoint=${nowhere}`), /does not answer.*endpoint/],
      [S3MediaStore.fromUrl(`s3://${bucket}?endpoint=${busy}`), /overloaded. Try again later/],
      [S3MediaStore.fromUrl(`s3://${bucket}?endpoint=${denying}`), /access denied.*s3:GetObject/],
    ];
    for (const [store, words] of cases) {
      for (const call of [
        () => store.get(KEY),
        async () => collect((await store.getStream(KEY)) ?? expect.fail("taken for missing")),
        () => store.put(KEY, BYTES),
        () => store.putStream(KEY, streamOf(BYTES)),
        () => store.delete(KEY),
        () => store.list().next(),
      ]) {
        const error = await failureOf(call());
        expect(error).toBeInstanceOf(MediaStoreUnavailableError);
        expect(error.message).toMatch(words);
        expect(error.message).toMatch(/^Cannot .* at s3:\/\/[a-z0-9-]+: [^\n]*\.$/);
      }
    }
  });

  it("MED-251 says in the same line what is wrong with an upload in parts, also one that breaks off at a part", async () => {
    const denying = await endpointOf((_request, response) => response.writeHead(403).end());
    const atPart = await endpointOf((request, response) => {
      request.resume();
      const id = "<UploadId>1</UploadId>";
      const begun = `<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key>${id}</InitiateMultipartUploadResult>`;
      if (request.method === "POST")
        response.writeHead(200, { "content-type": "application/xml" }).end(begun);
      else
        response.writeHead(request.method === "DELETE" ? 204 : request.method === "HEAD" ? 404 : 403).end();
    });
    const bytes = randomBytes(20 * 1024 * 1024);
    const key = `${createHash("sha256").update(bytes).digest("hex")}.mp4`;
    for (const endpoint of [denying, atPart]) {
      const store = new S3MediaStore({ client: elsewhere(endpoint), bucket: "bucket" });
      for (const put of [() => store.put(key, bytes), () => store.putStream(key, streamOf(bytes))]) {
        const error = await failureOf(put());
        expect(error).toBeInstanceOf(MediaStoreUnavailableError);
        expect(error.message).toMatch(/^Cannot write .* at s3:\/\/bucket: access denied\. Allow [^\n]*\.$/);
      }
    }
  });

  it("MED-64 says that no credentials or no region were found", async () => {
    const endpoint = await endpointOf(() => undefined);
    const alone = { AWS_EC2_METADATA_DISABLED: "true", HOME: "/nowhere" };
    useCredentials(alone);
    const keyless = await failureOf(S3MediaStore.fromUrl(`s3://bucket?endpoint=${endpoint}`).get(KEY));
    expect(keyless.message).toMatch(/no AWS credentials were found. Set AWS_ACCESS_KEY_ID/);
    useCredentials({ AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" });
    const placeless = await failureOf(S3MediaStore.fromUrl("s3://bucket").get(KEY));
    expect(placeless.message).toMatch(/no region is known. Set AWS_REGION/);
  });

  it("MED-65 gives up on a service that has gone silent, before an answer and in the middle of one", async () => {
    const silent = await endpointOf(() => undefined);
    const halfway = await endpointOf((_request, response) => {
      response.writeHead(200, { "content-length": 100 }).write("half of it");
    });
    for (const endpoint of [silent, halfway]) {
      const store = new S3MediaStore({
        client: elsewhere(endpoint),
        bucket: "bucket",
        timeoutMs: 300,
      });
      const error = await failureOf(store.get(KEY));
      expect(error).toBeInstanceOf(MediaStoreUnavailableError);
      expect(error.message).toMatch(/nothing has come for 0.3 s/);
    }
  });

  it("MED-66 throws the reason of its signal at once, also while it waits for an answer", async () => {
    const endpoint = await endpointOf(() => undefined);
    const store = new S3MediaStore({ client: elsewhere(endpoint), bucket: "bucket" });
    const reason = new Error("enough");
    for (const call of [
      (signal: AbortSignal) => store.put(KEY, BYTES, { signal }),
      (signal: AbortSignal) => store.get(KEY, { signal }),
      (signal: AbortSignal) => store.delete(KEY, { signal }),
      (signal: AbortSignal) => store.list({ signal }).next(),
    ]) {
      const controller = new AbortController();
      const failure = failureOf(call(controller.signal));
      setTimeout(() => controller.abort(reason), 20);
      expect(await failure).toBe(reason);
    }
  });

  it("MED-67 tells in one line which packages to install where the AWS SDK is missing, and nothing else so", async () => {
    const missing = Object.assign(new Error("Cannot find package '@aws-sdk/client-s3' imported from x"), {
      code: "ERR_MODULE_NOT_FOUND",
    });
    const load = (error: Error) => failureOf(loadOptional("@aws-sdk/client-s3", () => Promise.reject(error)));
    expect(await load(missing)).toBeInstanceOf(UsageError);
    expect((await load(missing)).message).toMatch(
      /needs @aws-sdk\/client-s3, which is not installed: run `npm install @aws-sdk\/client-s3 @aws-sdk\/lib-storage`/,
    );
    const broken = new Error("a bug in it");
    expect(await load(broken)).toBe(broken);
  });
});

describe("a location on S3", () => {
  it("MED-68 is s3://bucket/prefix with region, endpoint and path style", () => {
    const bare = { region: undefined, endpoint: undefined, pathStyle: undefined };
    expect(parseS3Url("s3://my-bucket")).toEqual({ bucket: "my-bucket", prefix: "", ...bare });
    expect(parseS3Url("s3://my-bucket/a/b/")).toEqual({ bucket: "my-bucket", prefix: "a/b", ...bare });
    expect(
      parseS3Url("s3://my-bucket/a?region=eu-west-1&endpoint=http://127.0.0.1:9000&path-style=false"),
    ).toEqual({
      bucket: "my-bucket",
      prefix: "a",
      region: "eu-west-1",
      endpoint: "http://127.0.0.1:9000",
      pathStyle: false,
    });
  });

  it("MED-68 is refused in one line where it is anything else, and never shows a key that stands in it", () => {
    for (const url of [
      "s3://",
      "s3:///prefix",
      "s3://b/x",
      "s3://bucket/../x",
      "s3://bucket/a//b",
      "s3://bucket/..",
      "s3://bucket/a\0b",
      "s3://bucket?secret=x",
      "s3://bucket?endpoint=ftp://x",
      "s3://bucket?endpoint=http://user:hidden@host",
      "s3://AKIA:hidden@bucket/x",
      "s3://bucket?path-style=yes",
      "https://bucket",
    ]) {
      const refusal = ((): unknown => {
        try {
          return parseS3Url(url);
        } catch (error) {
          return error;
        }
      })();
      expect(refusal, url).toBeInstanceOf(UsageError);
      expect(String(refusal), url).toMatch(/no place on S3 \(.+\): write s3:\/\/BUCKET\/PREFIX/);
      expect(String(refusal)).not.toContain("hidden");
    }
    expect(() => new S3MediaStore({ client: s3.client(), bucket: "no bucket" })).toThrow(UsageError);
    expect(() => new S3MediaStore({ client: s3.client(), bucket: "bucket", prefix: "../x" })).toThrow(
      UsageError,
    );
  });

  it("MED-69 can be on any S3-compatible service, by its endpoint in the location alone", async () => {
    const { bucket } = await s3.makeBucket();
    const { AWS_ENDPOINT_URL: endpoint, ...keys } = s3.env;
    useCredentials(keys);
    const store = S3MediaStore.fromUrl(`s3://${bucket}/media?endpoint=${endpoint}`);
    await store.put(KEY, BYTES);
    expect(await store.get(KEY)).toEqual(BYTES);
  });
});

/** A client like the tests' own, of another endpoint and with one attempt only. */
function elsewhere(endpoint: string): S3Client {
  return s3.client({ endpoint, maxAttempts: 1 });
}

import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Payload, StorageDriver, StorageDriverClaim } from "@temporalio/common";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createDataConverter } from "../../src/connection/data-converter.js";
import { assertStoresApart, openPayloadStore } from "../../src/connection/open-payload-store.js";
import { createPayloadStoreDriver } from "../../src/connection/payload-store-driver.js";
import { EnvelopeDamagedError, UsageError } from "../../src/core/errors/errors.js";
import { isMediaKey } from "../../src/core/media/marker.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { createWorker } from "../../src/worker/create-worker.js";
import { S3_START_MS, type S3Server, startS3Server } from "../support/s3-server.js";

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
}, S3_START_MS);
afterAll(() => s3[Symbol.asyncDispose]());
afterEach(() => vi.unstubAllEnvs());

const payload = (text: string): Payload => ({
  metadata: { encoding: new TextEncoder().encode("json/plain") },
  data: new TextEncoder().encode(JSON.stringify(text)),
});
const context = {} as Parameters<StorageDriver["store"]>[0];
const claimOf = (key: string): StorageDriverClaim => ({ claimData: { key } });

describe("the payload store's driver", () => {
  it("CON-43 stores each payload under the SHA-256 of its bytes, an equal one once", async () => {
    const driver = createPayloadStoreDriver(new MemoryMediaStore());
    const [first, second, again] = await driver.store(context, [payload("a"), payload("b"), payload("a")]);
    expect(first?.claimData).toEqual(again?.claimData);
    expect(first?.claimData).not.toEqual(second?.claimData);
    expect(isMediaKey(first?.claimData.key ?? "")).toBe(true);
    expect(driver.name).toBe("holdfast-payloads");
  });

  it("CON-44 gives back what was stored, in the order asked for, to any process with the store", async () => {
    const store = new MemoryMediaStore();
    const claims = await createPayloadStoreDriver(store).store(context, [payload("a"), payload("b")]);
    const read = await createPayloadStoreDriver(store).retrieve(context, claims.toReversed());
    expect(read.map(({ data }) => new TextDecoder().decode(data ?? undefined))).toEqual(['"b"', '"a"']);
    expect(new TextDecoder().decode(read[0]?.metadata?.encoding)).toBe("json/plain");
  });

  it("CON-45 refuses a payload that is not there in one line with the remedy, and a key that leads elsewhere", async () => {
    const driver = createPayloadStoreDriver(new MemoryMediaStore());
    const missing = driver.retrieve(context, [claimOf(`${"0".repeat(64)}.payload`)]);
    await expect(missing).rejects.toThrow(EnvelopeDamagedError);
    await expect(missing).rejects.toThrow(
      /0000\.payload is not in the payload store.*HOLDFAST_PAYLOAD_STORE/,
    );
    for (const key of ["", "../../etc/passwd", "x"]) {
      await expect(driver.retrieve(context, [claimOf(key)])).rejects.toThrow(UsageError);
    }
  });

  it("CON-46 heeds the signal that comes with a call", async () => {
    const driver = createPayloadStoreDriver(new MemoryMediaStore());
    const stopped = { ...context, abortSignal: AbortSignal.abort("stopped") };
    await expect(driver.store(stopped, [payload("a")])).rejects.toBe("stopped");
    await expect(driver.retrieve(stopped, [claimOf(`${"0".repeat(64)}.payload`)])).rejects.toBe("stopped");
  });

  it("CON-80 keeps payloads on S3, under a prefix of their own", async () => {
    for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value);
    const { bucket, folder } = await s3.makeBucket();
    const open = () =>
      createPayloadStoreDriver(
        openPayloadStore({ mediaStore: `s3://${bucket}/media`, payloadStore: `s3://${bucket}/payloads` }),
      );
    const claims = await open().store(context, [payload("a".repeat(200_000)), payload("b")]);
    expect((await readdir(join(folder, "payloads"))).toSorted()).toEqual(
      claims.map(({ claimData }) => claimData.key).toSorted(),
    );
    expect(await readdir(folder)).toEqual(["payloads"]);
    const [second, first] = await open().retrieve(context, claims.toReversed());
    expect(new TextDecoder().decode(first?.data ?? undefined)).toBe(`"${"a".repeat(200_000)}"`);
    expect(new TextDecoder().decode(second?.data ?? undefined)).toBe('"b"');
    await expect(open().retrieve(context, [claimOf(`${"0".repeat(64)}.payload`)])).rejects.toThrow(
      EnvelopeDamagedError,
    );
  });
});

describe("the payload store", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "holdfast-payloads-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("CON-81 can put and get and nothing else, and its driver calls nothing else", async () => {
    const [mediaStore, payloadStore] = [join(folder, "media"), join(folder, "payloads")];
    expect(Object.keys(openPayloadStore({ mediaStore, payloadStore })).toSorted()).toEqual(["get", "put"]);
    const memory = new MemoryMediaStore();
    const called = new Set<string>();
    const watched = new Proxy(memory, {
      get(_, name) {
        called.add(String(name));
        const method: unknown = Reflect.get(memory, name);
        return typeof method === "function" ? method.bind(memory) : method;
      },
    });
    const [driver] = createDataConverter(watched).externalStorage?.drivers ?? [];
    const claims = (await driver?.store(context, [payload("a")])) ?? [];
    await driver?.retrieve(context, claims);
    expect([...called].toSorted()).toEqual(["get", "put"]);
  });

  it("CON-82 is refused in one line where it is the place of the media, however the two are written", async () => {
    await mkdir(join(folder, "media"));
    await symlink(join(folder, "media"), join(folder, "link"));
    const media = join(folder, "media");
    for (const [mediaStore, payloadStore] of [
      [media, media],
      [media, `${media}/`],
      [media, join(folder, "link")],
      [join(media, "x"), join(folder, "link", "x")],
      ["s3://bucket", "s3://bucket/"],
      ["s3://bucket/a", "s3://bucket/a/?region=eu-west-1"],
      ["s3://bucket/a?endpoint=http://127.0.0.1:1", "s3://bucket/a?endpoint=http://127.0.0.1:1/"],
    ] as const) {
      const opening = (): unknown => openPayloadStore({ mediaStore, payloadStore });
      expect(opening, payloadStore).toThrow(UsageError);
      expect(opening).toThrow(
        /^HOLDFAST_MEDIA_STORE and HOLDFAST_PAYLOAD_STORE are both \S+ and must differ: [^\n]*$/,
      );
    }
    for (const [mediaStore, payloadStore] of [
      [media, join(folder, "payloads")],
      [media, join(media, "payloads")],
      ["s3://bucket/a", "s3://bucket/b"],
      ["s3://one-bucket", "s3://another-bucket"],
      ["s3://bucket/a?endpoint=http://127.0.0.1:1", "s3://bucket/a?endpoint=http://127.0.0.1:2"],
    ] as const) {
      expect(() => assertStoresApart({ mediaStore, payloadStore })).not.toThrow();
    }
  });

  it("CON-82 is refused so by a worker that starts, before it connects", async () => {
    const options = { address: "127.0.0.1:1", mediaStore: folder, payloadStore: folder };
    await expect(createWorker(options)).rejects.toThrow(/must differ/);
    expect(await readdir(folder)).toEqual([]);
  });
});

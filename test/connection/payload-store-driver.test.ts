import type { Payload, StorageDriver, StorageDriverClaim } from "@temporalio/common";
import { describe, expect, it } from "vitest";
import { createPayloadStoreDriver } from "../../src/connection/payload-store-driver.js";
import { EnvelopeDamagedError, UsageError } from "../../src/core/errors/errors.js";
import { isMediaKey } from "../../src/core/media/marker.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";

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
});

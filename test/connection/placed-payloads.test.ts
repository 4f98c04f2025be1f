import type { Payload, StorageDriver } from "@temporalio/common";
import proto from "@temporalio/proto";
import { describe, expect, it } from "vitest";
import { withPlaces } from "../../src/connection/placed-payloads.js";

const PayloadMessage = proto.temporal.api.common.v1.Payload;
const context = {} as Parameters<StorageDriver["retrieve"]>[0];
const encoding = new TextEncoder().encode("json/plain");

const driverOf = (payload: Payload): StorageDriver => ({
  name: "one",
  type: "test",
  store: () => Promise.reject(new Error("not asked for")),
  retrieve: () => Promise.resolve([payload]),
});

/** As the payload converter reads it. */
async function referenceOf(payload: Payload): Promise<{ readonly sizeBytes: number }> {
  const [placed] = await withPlaces(driverOf(payload)).retrieve(context, [{ claimData: { key: "k" } }]);
  return JSON.parse(new TextDecoder().decode(placed?.metadata?.["holdfast-reference"]));
}

describe("a payload that says where it lies", () => {
  it.each([0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152])(
    "CON-310 names the size that it has on the wire, with %i bytes of data",
    async (bytes) => {
      const payload: Payload = { metadata: { encoding }, data: new Uint8Array(bytes) };
      const { sizeBytes } = await referenceOf(payload);
      expect(sizeBytes).toBe(PayloadMessage.encode(payload).finish().byteLength);
    },
  );

  it("CON-310 names it without data as well", async () => {
    const payload: Payload = { metadata: { encoding } };
    expect((await referenceOf(payload)).sizeBytes).toBe(PayloadMessage.encode(payload).finish().byteLength);
  });
});

import type { Payload } from "@temporalio/common";
import {
  ExternalStorageRunner,
  loadDataConverter,
} from "@temporalio/common/lib/internal-non-workflow/index.js";
import { describe, expect, it } from "vitest";
import { createDataConverter, EXTERNAL_PAYLOAD_BYTES } from "../../src/connection/data-converter.js";
import type { MediaStore } from "../../src/core/media/media-store.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const json = (text: string): Payload => ({
  metadata: { encoding: bytesOf("json/plain") },
  data: bytesOf(text),
});

/** Encodes and decodes as client and worker do, with what went to the payload store on the way. */
async function roundTrip(value: unknown) {
  const stored: string[] = [];
  const memory = new MemoryMediaStore();
  const store: MediaStore = {
    put: async (key, bytes, options) => {
      stored.push(key);
      await memory.put(key, bytes, options);
    },
    get: (key, options) => memory.get(key, options),
  };
  const { payloadConverter, externalStorage } = loadDataConverter(createDataConverter(store));
  if (externalStorage === undefined) throw new Error("The converter has no external storage.");
  const runner = new ExternalStorageRunner(externalStorage);
  const sent = await runner.store([payloadConverter.toPayload(value)]);
  const [received] = await runner.retrieve(sent);
  return {
    stored,
    sentBytes: sent[0]?.data?.length ?? 0,
    back: received === undefined ? undefined : payloadConverter.fromPayload(received),
  };
}

describe("the data converter of client and worker", () => {
  it("CON-47 keeps a payload above 128 KiB in the payload store and brings it back", async () => {
    const value = { text: `${'語🙂"\\'.repeat(40_000)}` };
    const { stored, sentBytes, back } = await roundTrip(value);
    expect(stored).toHaveLength(1);
    expect(sentBytes).toBeLessThan(1_024);
    expect(back).toEqual(value);
  });

  it("CON-48 leaves a payload of up to 128 KiB in its event", async () => {
    const value = "x".repeat(EXTERNAL_PAYLOAD_BYTES - 2_000);
    const { stored, sentBytes, back } = await roundTrip(value);
    expect(stored).toEqual([]);
    expect(sentBytes).toBeGreaterThan(100_000);
    expect(back).toBe(value);
    expect((await roundTrip(undefined)).back).toBeUndefined();
  });

  it.each([
    ["JSON that is none", json("{")],
    ["half a character", { ...json(""), data: new Uint8Array([0x22, 0xff, 0x22, 0x22]) }],
    ["an unknown encoding", { metadata: { encoding: bytesOf("vendor/secret") }, data: bytesOf("1") }],
    ["no metadata", { data: bytesOf("1") }],
    ["no encoding", { metadata: {}, data: bytesOf("1") }],
    ["nothing at all", {}],
  ])("CON-49 decodes a payload of %s to a marker and never throws", (_what, payload) => {
    const { payloadConverter } = loadDataConverter(createDataConverter(new MemoryMediaStore()));
    expect(payloadConverter.fromPayload(payload as Payload)).toEqual({
      holdfast_undecodable: true,
      bytes: (payload as Payload).data?.length ?? 0,
      reason: expect.stringMatching(/^.{1,300}$/s),
    });
  });
});

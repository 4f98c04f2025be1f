import type { DataConverter, Payload, PayloadCodec, StorageDriver } from "@temporalio/common";
import { ExternalStorage } from "@temporalio/common";
import {
  ExternalStorageRunner,
  loadDataConverter,
} from "@temporalio/common/lib/internal-non-workflow/index.js";
import proto from "@temporalio/proto";
import { describe, expect, it } from "vitest";
import {
  createDataConverter,
  EXTERNAL_PAYLOAD_BYTES,
  mergedDataConverter,
} from "../../src/connection/data-converter.js";
import { createPayloadStoreDriver } from "../../src/connection/payload-store-driver.js";
import { decodePayload, encodePayload } from "../../src/connection/payload-values.js";
import { atRunEnd, LEAST_SEGMENT_BYTES, segmentBytes } from "../../src/core/conversation/segment.js";
import { EMPTY_SEGMENT, type Segment } from "../../src/core/conversation/state.js";
import type { MediaStore } from "../../src/core/media/media-store.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { freshConversation } from "../support/conversation-samples.js";

const PayloadMessage = proto.temporal.api.common.v1.Payload;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const json = (text: string): Payload => ({
  metadata: { encoding: bytesOf("json/plain") },
  data: bytesOf(text),
});

/** Encodes and decodes as client and worker do, with what went to the payload store on the way. */
async function roundTrip(value: unknown, theirs?: DataConverter) {
  const stored: string[] = [];
  const memory = new MemoryMediaStore();
  const store: MediaStore = {
    put: async (key, bytes, options) => {
      stored.push(key);
      await memory.put(key, bytes, options);
    },
    get: (key, options) => memory.get(key, options),
  };
  const loaded = loadDataConverter(mergedDataConverter(theirs, store));
  const { externalStorage } = loaded;
  if (externalStorage === undefined) throw new Error("The converter has no external storage.");
  const runner = new ExternalStorageRunner(externalStorage);
  const sent = await runner.store([await encodePayload(loaded, value)]);
  const [received] = await runner.retrieve(sent);
  return {
    stored,
    sentBytes: sent[0]?.data?.length ?? 0,
    back: received === undefined ? undefined : await decodePayload(loaded, received),
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

const large = { messages: [{ role: "user", content: "word ".repeat(40_000) }] };

/** A value that has been stored and read, and how it is sent when it is handed on as it is or after a change. */
async function handedOn(
  value: object,
  converter: (store: MediaStore) => DataConverter = createDataConverter,
) {
  const { payloadConverter, externalStorage } = loadDataConverter(converter(new MemoryMediaStore()));
  if (externalStorage === undefined) throw new Error("The converter has no external storage.");
  const runner = new ExternalStorageRunner(externalStorage);
  const [named = {}] = await runner.store([payloadConverter.toPayload(value)]);
  const [received = {}] = await runner.retrieve([named]);
  const read = payloadConverter.fromPayload<object>(received);
  return {
    named,
    again: payloadConverter.toPayload(read),
    changed: payloadConverter.toPayload({ ...read }),
    runner,
  };
}

/** As it goes over the wire. */
const wire = (payload: Payload): string =>
  Buffer.from(PayloadMessage.encode(payload).finish()).toString("hex");

describe("a payload that is handed on", () => {
  it("CON-310 a segment from the payload store is named as it was, and is the same to whom reads it", async () => {
    const segment = { ...EMPTY_SEGMENT, ...large };
    const { named, again, changed, runner } = await handedOn(segment);
    expect(again.data?.length).toBeLessThan(1_024);
    expect(wire(again)).toBe(wire(named));
    expect(changed.data?.length).toBeGreaterThan(EXTERNAL_PAYLOAD_BYTES);
    const { payloadConverter } = loadDataConverter(createDataConverter(new MemoryMediaStore()));
    const [read = {}] = await runner.retrieve(await runner.store([again]));
    expect(payloadConverter.fromPayload(read)).toEqual(segment);
  });

  it("CON-310 anything else is written anew, for its reader may have changed it", async () => {
    const { again } = await handedOn(large);
    expect(again.data?.length).toBeGreaterThan(EXTERNAL_PAYLOAD_BYTES);
  });

  it("CON-311 so is everything where there are codecs, which would hide the name", async () => {
    const codec: PayloadCodec = {
      encode: async (payloads) => payloads,
      decode: async (payloads) => payloads,
    };
    const segment = { ...EMPTY_SEGMENT, ...large };
    const merged = (store: MediaStore) => mergedDataConverter({ payloadCodecs: [codec] }, store);
    expect((await handedOn(segment, merged)).again.data?.length).toBeGreaterThan(EXTERNAL_PAYLOAD_BYTES);
    const without = (store: MediaStore) => mergedDataConverter({ payloadCodecs: [] }, store);
    expect((await handedOn(segment, without)).again.data?.length).toBeLessThan(1_024);
  });
});

const said = (bytes: number): Segment => ({
  ...EMPTY_SEGMENT,
  messages: [{ role: "user", content: "x".repeat(bytes) }],
});

const hidden = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes).map((byte) => byte ^ 1);

/** Puts each payload out of sight, metadata as well, and takes nothing back that it did not make. */
const encrypting: PayloadCodec = {
  encode: async (payloads) =>
    payloads.map((payload) => ({
      metadata: { encoding: bytesOf("binary/encrypted") },
      data: hidden(PayloadMessage.encode(payload).finish()),
    })),
  decode: async (payloads) =>
    payloads.map(({ metadata, data }) => {
      expect(Object.keys(metadata ?? {})).toEqual(["encoding"]);
      return PayloadMessage.decode(hidden(data ?? new Uint8Array()));
    }),
};

describe("a segment in the data converter", () => {
  const least = LEAST_SEGMENT_BYTES - segmentBytes(said(0));

  it("CON-304 goes to the payload store as soon as it is sealed at the end of a run, and comes back", async () => {
    for (const size of [least, 100_000, 250_000]) {
      const { segments } = atRunEnd({ ...freshConversation(), tail: said(size) });
      expect(segments).toHaveLength(1);
      const { stored, sentBytes, back } = await roundTrip(segments[0]);
      expect(stored).toHaveLength(1);
      expect(sentBytes).toBeLessThan(1_024);
      expect(back).toEqual(segments[0]);
    }
  });

  it("CON-304 stays in the event where it is small, and so does anything else up to 128 KiB", async () => {
    expect(atRunEnd({ ...freshConversation(), tail: said(least - 1) }).segments).toEqual([]);
    const { messages } = said(100_000);
    const inline = [said(least - 1_000), { messages }, { messages, total: 1, next: null }, messages, null];
    for (const value of inline) {
      const { stored, back } = await roundTrip(value);
      expect(stored).toEqual([]);
      expect(back).toEqual(value);
    }
  });

  it("CON-305 goes there through a codec that hides what it is, which gets back what it made", async () => {
    const theirs = { payloadCodecs: [encrypting, encrypting] };
    const { stored, back } = await roundTrip(said(least), theirs);
    expect(stored).toHaveLength(1);
    expect(back).toEqual(said(least));
    const other = await roundTrip("x".repeat(100_000), theirs);
    expect(other.stored).toEqual([]);
    expect(other.back).toBe("x".repeat(100_000));
  });

  it("CON-306 goes to external storage of theirs, to which other payloads go from its own threshold on", async () => {
    const names: string[] = [];
    const driver = createPayloadStoreDriver(new MemoryMediaStore());
    const named = (name: string): StorageDriver => ({ ...driver, name });
    const [one, other] = [named("one"), named("other")];
    const externalStorage = new ExternalStorage({
      drivers: [one, other],
      driverSelector: (_context, { data }) => {
        const chosen = (data?.length ?? 0) > 30_000 ? other : one;
        names.push(chosen.name);
        return chosen;
      },
      payloadSizeThreshold: 200_000,
    });
    for (const value of [said(least), said(50_000), "x".repeat(190_000), "x".repeat(210_000)]) {
      const { stored, back } = await roundTrip(value, { externalStorage });
      expect(stored).toEqual([]);
      expect(back).toEqual(value);
    }
    expect(names).toEqual(["one", "other", "other"]);
  });
});

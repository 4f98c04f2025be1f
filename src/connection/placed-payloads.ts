/** Payloads from the payload store that say where they lie, so that one that is handed on unchanged need not be stored again. */
import type { Payload, StorageDriver, StorageDriverClaim } from "@temporalio/common";
import { encodeReferencePayload } from "@temporalio/common/lib/internal-non-workflow/index.js";
import proto from "@temporalio/proto";

const PayloadMessage = proto.temporal.api.common.v1.Payload;
/** The payload converter reads it, in the workflow's thread as well. */
const REFERENCE_KEY = "holdfast-reference";
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Beside each payload that it gives back, in its metadata, the reference that stands in an event for it. The payload converter
 * remembers it for segments. What is stored does not have it. Not for a data converter with codecs: they would have the
 * reference encoded, by which nobody could find the payload.
 */
export function withPlaces(driver: StorageDriver): StorageDriver {
  const { name, type } = driver;
  return {
    name,
    type,
    store: (context, payloads) => driver.store(context, payloads),
    retrieve: async (context, claims) => {
      const payloads = await driver.retrieve(context, claims);
      return payloads.map((payload, at) => placed(name, payload, claims[at]));
    },
  };
}

/** As `PayloadMessage.encode(payload)` is long, for which a large one need not be written. */
function encodedBytes({ data, ...rest }: Payload): number {
  const others = PayloadMessage.encode(rest).pos;
  if (data == null || data.byteLength === 0) return others;
  return others + 1 + varintBytes(data.byteLength) + data.byteLength;
}

/** Seven bits a byte. */
function varintBytes(value: number): number {
  return Math.max(1, Math.ceil((32 - Math.clz32(value)) / 7));
}

function placed(driverName: string, payload: Payload, claim: StorageDriverClaim | undefined): Payload {
  if (claim === undefined) return payload;
  const sizeBytes = encodedBytes(payload);
  const { metadata, data } = encodeReferencePayload({ driverName, claim, sizeBytes });
  const texts = Object.entries(metadata ?? {}).map(([key, bytes]) => [key, decoder.decode(bytes)]);
  const reference = {
    metadata: Object.fromEntries(texts),
    data: decoder.decode(data ?? undefined),
    sizeBytes,
  };
  const place = { [REFERENCE_KEY]: encoder.encode(JSON.stringify(reference)) };
  return { ...payload, metadata: { ...payload.metadata, ...place } };
}

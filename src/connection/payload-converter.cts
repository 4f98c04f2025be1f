// The payload converter of client, worker and workflow bundle: JSON as Temporal has it, but decoding never throws. A signal
// that cannot be decoded would otherwise fail the workflow task again and again, for ever (WFL-20).
// A CommonJS file of its own, because the SDK cannot load an ES module from `payloadConverterPath`.
const common: typeof import("@temporalio/common") = require("@temporalio/common");
type Payload = import("@temporalio/common").Payload;

const encoder = new TextEncoder();
/** A byte order mark stays, for which JSON is refused, as by Temporal's own converter. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** All bytes as text. */
interface Reference {
  readonly metadata: Readonly<Record<string, string>>;
  readonly data: string;
  readonly sizeBytes: number;
}

/** `LEAST_SEGMENT_BYTES` of src/core/conversation/segment.ts: what is sealed is marked. */
const MARKED_BYTES = 16 * 1024;
/** `SEGMENT_MARK` of segments-outside.ts. */
const SEGMENT_MARK = "holdfast-segment";

/**
 * The library's own goes through the text byte by byte, in six times the time and with a piece of memory for each 32 characters.
 * Node's are there in the workflow sandbox as well.
 */
class NativeJsonPayloadConverter extends common.JsonPayloadConverter {
  override toPayload(value: unknown): Payload | undefined {
    if (value === undefined) return undefined;
    let text: string;
    try {
      text = JSON.stringify(value);
    } catch {
      return undefined;
    }
    return {
      metadata: { [common.METADATA_ENCODING_KEY]: common.encodingKeys.METADATA_ENCODING_JSON },
      data: encoder.encode(text),
    };
  }

  override fromPayload<T>(payload: Payload): T {
    if (payload.data == null) throw new common.ValueError("Got payload with no data");
    return JSON.parse(decoder.decode(payload.data)) as T;
  }
}

class ForgivingPayloadConverter extends common.CompositePayloadConverter {
  /** Of segments that came from the payload store, the references by which they were named (CON-310). */
  readonly #references = new WeakMap<object, Uint8Array>();

  /** A segment that is handed on unchanged is named as it was: it is neither written as JSON nor stored again. */
  override toPayload<T>(value: T): Payload {
    const known = typeof value === "object" && value !== null ? this.#references.get(value) : undefined;
    if (known !== undefined) return referencePayload(known);
    const payload = super.toPayload(value);
    if ((payload.data?.length ?? 0) < MARKED_BYTES || !isSegment(value)) return payload;
    return { ...payload, metadata: { ...payload.metadata, [SEGMENT_MARK]: new Uint8Array([1]) } };
  }

  override fromPayload<T>(payload: Payload): T {
    try {
      const value = super.fromPayload<T>(payload);
      const written = payload.metadata?.["holdfast-reference"];
      if (written != null && isSegment(value)) this.#references.set(value, written);
      return value;
    } catch (error) {
      const reason = error instanceof Error ? error.message.slice(0, 300) : "unknown";
      return { holdfast_undecodable: true, bytes: payload.data?.length ?? 0, reason } as T;
    }
  }
}

/** A payload that names another one, of what `placed-payloads.ts` has written. */
function referencePayload(written: Uint8Array): Payload {
  const { metadata, data, sizeBytes } = JSON.parse(decoder.decode(written)) as Reference;
  const entries = Object.entries(metadata).map(([key, text]) => [key, encoder.encode(text)]);
  // Written to the wire as it is; the type wants the library's own numbers of 64 bits.
  const externalPayloads = [{ sizeBytes }] as unknown as NonNullable<Payload["externalPayloads"]>;
  return { metadata: Object.fromEntries(entries), data: encoder.encode(data), externalPayloads };
}

/** By four of its lists: no answer of a conversation and no message to one has them. A segment is never changed. */
function isSegment(value: unknown): value is object {
  const lists: Partial<Record<string, unknown>> = Object(value);
  return [lists.messages, lists.turn_index, lists.turns, lists.attic].every(Array.isArray);
}

module.exports = {
  payloadConverter: new ForgivingPayloadConverter(
    new common.UndefinedPayloadConverter(),
    new common.BinaryPayloadConverter(),
    new NativeJsonPayloadConverter(),
  ),
};

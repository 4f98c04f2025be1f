// The payload converter of client, worker and workflow bundle: JSON as Temporal has it, but decoding never throws. A signal
// that cannot be decoded would otherwise fail the workflow task again and again, for ever (WFL-20).
// A CommonJS file of its own, because the SDK cannot load an ES module from `payloadConverterPath`.
const common: typeof import("@temporalio/common") = require("@temporalio/common");

/** `LEAST_SEGMENT_BYTES` of src/core/conversation/segment.ts: what is sealed is marked. */
const MARKED_BYTES = 16 * 1024;
/** `SEGMENT_MARK` of segments-outside.ts. */
const SEGMENT_MARK = "holdfast-segment";

class ForgivingPayloadConverter extends common.CompositePayloadConverter {
  override toPayload<T>(value: T): import("@temporalio/common").Payload {
    const payload = super.toPayload(value);
    if ((payload.data?.length ?? 0) < MARKED_BYTES || !isSegment(value)) return payload;
    return { ...payload, metadata: { ...payload.metadata, [SEGMENT_MARK]: new Uint8Array([1]) } };
  }

  override fromPayload<T>(payload: import("@temporalio/common").Payload): T {
    try {
      return super.fromPayload<T>(payload);
    } catch (error) {
      const reason = error instanceof Error ? error.message.slice(0, 300) : "unknown";
      return { holdfast_undecodable: true, bytes: payload.data?.length ?? 0, reason } as T;
    }
  }
}

/** By four of its lists: no answer of a conversation and no message to one has them. */
function isSegment(value: unknown): boolean {
  const lists: Partial<Record<string, unknown>> = Object(value);
  return [lists.messages, lists.turn_index, lists.turns, lists.attic].every(Array.isArray);
}

module.exports = {
  payloadConverter: new ForgivingPayloadConverter(
    new common.UndefinedPayloadConverter(),
    new common.BinaryPayloadConverter(),
    new common.JsonPayloadConverter(),
  ),
};

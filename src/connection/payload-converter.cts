// The payload converter of client, worker and workflow bundle: JSON as Temporal has it, but decoding never throws. A signal
// that cannot be decoded would otherwise fail the workflow task again and again, for ever (WFL-20).
// A CommonJS file of its own, because the SDK cannot load an ES module from `payloadConverterPath`.
const common: typeof import("@temporalio/common") = require("@temporalio/common");

class ForgivingPayloadConverter extends common.CompositePayloadConverter {
  override fromPayload<T>(payload: import("@temporalio/common").Payload): T {
    try {
      return super.fromPayload<T>(payload);
    } catch (error) {
      const reason = error instanceof Error ? error.message.slice(0, 300) : "unknown";
      return { holdfast_undecodable: true, bytes: payload.data?.length ?? 0, reason } as T;
    }
  }
}

module.exports = {
  payloadConverter: new ForgivingPayloadConverter(
    new common.UndefinedPayloadConverter(),
    new common.BinaryPayloadConverter(),
    new common.JsonPayloadConverter(),
  ),
};

/** Segments go to the external storage long before other payloads: every later run names them, and holds none of them. */
import type { Payload, PayloadCodec } from "@temporalio/common";
import { ExternalStorage } from "@temporalio/common";

/** In the metadata of a segment that is worth a blob of its own, from the payload converter. */
export const SEGMENT_MARK = "holdfast-segment";

/** The storage, to which a marked payload goes whatever its size; any other as before. */
export function withSegmentsOutside({
  drivers,
  driverSelector,
  payloadSizeThreshold,
}: ExternalStorage): ExternalStorage {
  return new ExternalStorage({
    drivers,
    payloadSizeThreshold: 0,
    driverSelector: (context, payload) =>
      isMarked(payload) || bytesOf(payload) >= payloadSizeThreshold ? driverSelector(context, payload) : null,
  });
}

/** The codec, with the mark beside what it makes: encrypted segments would lie in the first event of every later run. */
export function keepingMarks(codec: PayloadCodec): PayloadCodec {
  return {
    encode: async (payloads, context) => {
      const encoded = await codec.encode(payloads, context);
      return encoded.map((payload, index) => (isMarked(payloads[index]) ? marked(payload) : payload));
    },
    // A codec may vouch for the metadata as well, and gets back what it made.
    decode: (payloads, context) => codec.decode(payloads.map(unmarked), context),
  };
}

function isMarked(payload: Payload | undefined): boolean {
  return payload?.metadata?.[SEGMENT_MARK] !== undefined;
}

function marked(payload: Payload): Payload {
  return { ...payload, metadata: { ...payload.metadata, [SEGMENT_MARK]: new Uint8Array([1]) } };
}

function unmarked(payload: Payload): Payload {
  if (!isMarked(payload)) return payload;
  const { [SEGMENT_MARK]: _, ...metadata } = payload.metadata ?? {};
  return { ...payload, metadata };
}

/** Of its data; the few bytes beside them do not decide. */
function bytesOf({ data }: Payload): number {
  return data?.byteLength ?? 0;
}

/** The data converter that client and worker share: decoding that never throws, and large payloads kept outside. */
import type { DataConverter } from "@temporalio/common";
import { ExternalStorage } from "@temporalio/common";
import { UsageError } from "../core/errors/errors.js";
import { builtFile } from "./built-file.js";
import type { PayloadStore } from "./open-payload-store.js";
import { createPayloadStoreDriver } from "./payload-store-driver.js";
import { withPlaces } from "./placed-payloads.js";
import { keepingMarks, withSegmentsOutside } from "./segments-outside.js";

/** A payload above this goes to the payload store (CON-47); of segments smaller ones as well (CON-304). */
export const EXTERNAL_PAYLOAD_BYTES: number = 128 * 1024;

/** `codecs` tells whether there are codecs beside it. */
export function createDataConverter(payloadStore: PayloadStore, codecs = false): DataConverter {
  const driver = createPayloadStoreDriver(payloadStore);
  return {
    payloadConverterPath: builtFile("connection/payload-converter.cjs"),
    externalStorage: withSegmentsOutside(
      new ExternalStorage({
        drivers: [codecs ? driver : withPlaces(driver)],
        payloadSizeThreshold: EXTERNAL_PAYLOAD_BYTES,
      }),
    ),
  };
}

/**
 * What others have set, codecs and failure converter among it, with what conversations need. External storage of their own
 * serves conversations as well.
 *
 * @throws UsageError where they have a payload converter of their own: there is one a worker.
 */
export function mergedDataConverter(
  theirs: DataConverter | undefined,
  payloadStore: PayloadStore,
): DataConverter {
  const ours = createDataConverter(payloadStore, (theirs?.payloadCodecs?.length ?? 0) > 0);
  if (theirs === undefined) return ours;
  const { payloadConverterPath, payloadCodecs, externalStorage } = theirs;
  if (payloadConverterPath !== undefined && payloadConverterPath !== ours.payloadConverterPath) {
    throw new UsageError(
      `A worker has one payload converter, and conversations need their own, which never throws (not ${payloadConverterPath}): run conversations by createWorker on a task queue of their own, or leave dataConverter.payloadConverterPath out.`,
    );
  }
  return {
    ...ours,
    ...theirs,
    ...(payloadCodecs && { payloadCodecs: payloadCodecs.map(keepingMarks) }),
    ...(externalStorage && { externalStorage: withSegmentsOutside(externalStorage) }),
    payloadConverterPath: ours.payloadConverterPath as string,
  };
}

/** The data converter that client and worker share: decoding that never throws, and large payloads kept outside. */
import type { DataConverter } from "@temporalio/common";
import { ExternalStorage } from "@temporalio/common";
import { builtFile } from "./built-file.js";
import type { PayloadStore } from "./open-payload-store.js";
import { createPayloadStoreDriver } from "./payload-store-driver.js";

/** A payload above this goes to the payload store (design rule 8). */
export const EXTERNAL_PAYLOAD_BYTES: number = 128 * 1024;

export function createDataConverter(payloadStore: PayloadStore): DataConverter {
  return {
    payloadConverterPath: builtFile("connection/payload-converter.cjs"),
    externalStorage: new ExternalStorage({
      drivers: [createPayloadStoreDriver(payloadStore)],
      payloadSizeThreshold: EXTERNAL_PAYLOAD_BYTES,
    }),
  };
}

/** The data converter that client and worker share: decoding that never throws, and large payloads kept outside. */
import type { DataConverter } from "@temporalio/common";
import { ExternalStorage } from "@temporalio/common";
import type { MediaStore } from "../core/media/media-store.js";
import { builtFile } from "./built-file.js";
import { createPayloadStoreDriver } from "./payload-store-driver.js";

/** A payload above this goes to the payload store (design rule 8). */
export const EXTERNAL_PAYLOAD_BYTES: number = 128 * 1024;

export function createDataConverter(payloadStore: MediaStore): DataConverter {
  return {
    payloadConverterPath: builtFile("connection/payload-converter.cjs"),
    externalStorage: new ExternalStorage({
      drivers: [createPayloadStoreDriver(payloadStore)],
      payloadSizeThreshold: EXTERNAL_PAYLOAD_BYTES,
    }),
  };
}

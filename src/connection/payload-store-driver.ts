/** Temporal's external storage over a media store: payloads that are kept out of their events. */
import type { StorageDriver } from "@temporalio/common";
import { StorageDriverClaim } from "@temporalio/common";
import type { MediaStoreCallOptions } from "../core/media/media-store.js";
import type { PayloadStore } from "./open-payload-store.js";
import { PayloadBlobs } from "./payload-blobs.js";

/** The routing key on the wire: histories name it, so it never changes. */
const DRIVER_NAME = "holdfast-payloads";

/**
 * A driver whose blobs are content-addressed, so that a segment carried over many runs is stored once. Its store must be
 * reachable from every worker and client and is never cleaned by hand: without a blob a workflow cannot be replayed.
 */
export function createPayloadStoreDriver(store: PayloadStore): StorageDriver {
  const blobs = new PayloadBlobs(store);
  return {
    name: DRIVER_NAME,
    type: "holdfast.media-store",
    store: (context, payloads) =>
      Promise.all(
        payloads.map(
          async (payload) =>
            new StorageDriverClaim({ key: await blobs.write(payload, callOptions(context)) }),
        ),
      ),
    retrieve: (context, claims) =>
      Promise.all(claims.map(({ claimData }) => blobs.read(claimData.key ?? "", callOptions(context)))),
  };
}

function callOptions(context: { readonly abortSignal?: AbortSignal }): MediaStoreCallOptions {
  return context.abortSignal === undefined ? {} : { signal: context.abortSignal };
}

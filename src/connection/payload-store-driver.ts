/** Temporal's external storage over a media store: payloads that are too large for an event, under their SHA-256. */
import { createHash } from "node:crypto";
import type { Payload, StorageDriver } from "@temporalio/common";
import { StorageDriverClaim } from "@temporalio/common";
import proto from "@temporalio/proto";
import { EnvelopeDamagedError } from "../core/errors/errors.js";
import type { MediaStoreCallOptions } from "../core/media/media-store.js";
import type { PayloadStore } from "./open-payload-store.js";

const PayloadMessage = proto.temporal.api.common.v1.Payload;

/** The routing key on the wire: histories name it, so it never changes. */
const DRIVER_NAME = "holdfast-payloads";

/**
 * A driver whose blobs are content-addressed, so that a segment carried over many runs is stored once. Its store must be
 * reachable from every worker and client and is never cleaned by hand: without a blob a workflow cannot be replayed.
 */
export function createPayloadStoreDriver(store: PayloadStore): StorageDriver {
  return {
    name: DRIVER_NAME,
    type: "holdfast.media-store",
    store: (context, payloads) =>
      Promise.all(payloads.map((payload) => storePayload(store, payload, callOptions(context)))),
    retrieve: (context, claims) =>
      Promise.all(claims.map((claim) => retrievePayload(store, claim, callOptions(context)))),
  };
}

async function storePayload(
  store: PayloadStore,
  payload: Payload,
  options: MediaStoreCallOptions,
): Promise<StorageDriverClaim> {
  const bytes = PayloadMessage.encode(payload).finish();
  const key = `${createHash("sha256").update(bytes).digest("hex")}.payload`;
  await store.put(key, bytes, options);
  return new StorageDriverClaim({ key });
}

async function retrievePayload(
  store: PayloadStore,
  claim: StorageDriverClaim,
  options: MediaStoreCallOptions,
): Promise<Payload> {
  const key = claim.claimData.key ?? "";
  const bytes = await store.get(key, options);
  if (bytes === undefined) {
    throw new EnvelopeDamagedError(
      `The payload ${key} is not in the payload store: point HOLDFAST_PAYLOAD_STORE at the store with which the conversation began.`,
    );
  }
  return PayloadMessage.decode(bytes);
}

function callOptions(context: { readonly abortSignal?: AbortSignal }): MediaStoreCallOptions {
  return context.abortSignal === undefined ? {} : { signal: context.abortSignal };
}

/** Payloads of Temporal back to the values that were sent, and one value to a payload, codecs and external storage included. */
import { setImmediate } from "node:timers/promises";
import type { Client } from "@temporalio/client";
import type { LoadedDataConverter, Payload } from "@temporalio/common";
import { ExternalStorageRunner } from "@temporalio/common/lib/internal-non-workflow/index.js";

/** @throws what a codec throws. */
export async function encodePayload(
  { payloadConverter, payloadCodecs }: LoadedDataConverter,
  value: unknown,
): Promise<Payload> {
  let payloads: Payload[] = [payloadConverter.toPayload(value)];
  for (const codec of payloadCodecs) payloads = await codec.encode(payloads);
  return onlyOne(payloads);
}

/** Of a payload that is not in the external storage. @throws what a codec throws that cannot read it. */
export async function decodePayload(
  { payloadConverter, payloadCodecs }: LoadedDataConverter,
  sent: Payload,
): Promise<unknown> {
  let payloads: Payload[] = [sent];
  for (const codec of [...payloadCodecs].reverse()) payloads = await codec.decode(payloads);
  return payloadConverter.fromPayload(onlyOne(payloads));
}

/**
 * The values of payloads as they stand in the event history. What lies in the external storage comes from there side by side.
 *
 * @throws what the payload store throws, and a codec that cannot read them.
 */
export async function valuesOf(
  { options: { loadedDataConverter } }: Client,
  sent: readonly Payload[] | null | undefined,
): Promise<readonly unknown[]> {
  if (sent == null || sent.length === 0) return [];
  const { externalStorage } = loadedDataConverter;
  const payloads =
    externalStorage === undefined
      ? sent
      : await new ExternalStorageRunner(externalStorage).retrieve([...sent]);
  const values: unknown[] = [];
  for (const payload of payloads) {
    values.push(await decodePayload(loadedDataConverter, payload));
    // A segment is parsed in a few milliseconds; between two of them the loop is free.
    if (payloads.length > 1) await setImmediate();
  }
  return values;
}

function onlyOne(payloads: readonly Payload[]): Payload {
  const [payload] = payloads;
  if (payload === undefined) throw new Error("The payload codec gave nothing back.");
  return payload;
}

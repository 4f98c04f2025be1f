/** A value as Temporal itself would send it, codecs included, so that the journal shows no more than the event history does. */
import type { LoadedDataConverter, Payload } from "@temporalio/common";

/** A payload as JSON: all bytes in base64. */
export interface SealedPayload {
  readonly metadata: Readonly<Record<string, string>>;
  readonly data: string;
}

/** @throws what a codec throws. */
export async function encodePayload(
  { payloadConverter, payloadCodecs }: LoadedDataConverter,
  value: unknown,
): Promise<Payload> {
  let payloads: Payload[] = [payloadConverter.toPayload(value)];
  for (const codec of payloadCodecs) payloads = await codec.encode(payloads);
  const [payload] = payloads;
  if (payload === undefined) throw new Error("The payload codec gave nothing back.");
  return payload;
}

/** @throws what a codec throws. */
export async function sealPayload(converter: LoadedDataConverter, value: unknown): Promise<SealedPayload> {
  const { metadata, data } = await encodePayload(converter, value);
  const entries = Object.entries(metadata ?? {}).map(([key, bytes]) => [key, base64(bytes)] as const);
  return { metadata: Object.fromEntries(entries), data: base64(data ?? new Uint8Array()) };
}

/** @throws what a codec throws that cannot read it. */
export async function decodePayload(
  { payloadConverter, payloadCodecs }: LoadedDataConverter,
  sent: Payload,
): Promise<unknown> {
  let payloads: Payload[] = [sent];
  for (const codec of [...payloadCodecs].reverse()) payloads = await codec.decode(payloads);
  const [payload] = payloads;
  if (payload === undefined) throw new Error("The payload codec gave nothing back.");
  return payloadConverter.fromPayload(payload);
}

/** @throws what a codec throws that cannot read it. */
export function openPayload(
  converter: LoadedDataConverter,
  { metadata, data }: SealedPayload,
): Promise<unknown> {
  const entries = Object.entries(metadata).map(([key, text]) => [key, bytesOf(text)] as const);
  return decodePayload(converter, { metadata: Object.fromEntries(entries), data: bytesOf(data) });
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64"));

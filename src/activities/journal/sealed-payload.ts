/** A value as Temporal itself would send it, codecs included, so that the journal shows no more than the event history does. */
import type { LoadedDataConverter } from "@temporalio/common";
import { decodePayload, encodePayload } from "../../connection/payload-values.js";

/** A payload as JSON: all bytes in base64. */
export interface SealedPayload {
  readonly metadata: Readonly<Record<string, string>>;
  readonly data: string;
}

/** @throws what a codec throws. */
export async function sealPayload(converter: LoadedDataConverter, value: unknown): Promise<SealedPayload> {
  const { metadata, data } = await encodePayload(converter, value);
  const entries = Object.entries(metadata ?? {}).map(([key, bytes]) => [key, base64(bytes)] as const);
  return { metadata: Object.fromEntries(entries), data: base64(data ?? new Uint8Array()) };
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

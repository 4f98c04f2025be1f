/** Markers back to base64, in the request only, just before the call. */
import type { Dialect } from "../core/dialects/dialect.js";
import type { NativeMessage } from "../core/envelope/envelope.js";
import { inlineMedia, markerPlaces } from "../core/media/inline-media.js";
import type { MediaStore } from "../core/media/media-store.js";
import { activityFailure } from "./activity-failure.js";

/** The messages with the bytes of every marker in its place. Messages without media are passed through as they are. */
export async function loadMedia(
  store: Pick<MediaStore, "get">,
  dialect: Dialect,
  messages: readonly NativeMessage[],
  signal: AbortSignal,
): Promise<readonly NativeMessage[]> {
  const keys = mediaKeys(dialect, messages);
  if (keys.size === 0) return messages;
  const base64 = new Map<string, string>();
  for (const key of keys) {
    const bytes = await store.get(key, { signal });
    if (bytes === undefined) throw missingBlob(key);
    base64.set(key, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"));
  }
  return inlineMedia(dialect, messages, base64);
}

/** The keys of the blobs that these messages name. */
export function mediaKeys(dialect: Dialect, messages: readonly NativeMessage[]): ReadonlySet<string> {
  return new Set(markerPlaces(dialect, messages).map(({ key }) => key));
}

function missingBlob(key: string): Error {
  const text = `The attachment ${key} is not in the media store of this worker: point HOLDFAST_MEDIA_STORE of client and worker at the same store.`;
  return activityFailure("media.missing_blob", text, { retryable: false });
}

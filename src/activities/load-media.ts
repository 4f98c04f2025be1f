/** Markers back to base64, in the request only, just before the call. */
import { readBase64 } from "../connection/export-envelope.js";
import type { Dialect } from "../core/dialects/dialect.js";
import type { NativeMessage } from "../core/envelope/envelope.js";
import { inlineMedia, markerPlaces } from "../core/media/inline-media.js";
import type { MediaStore } from "../core/media/media-store.js";
import { activityFailure } from "./activity-failure.js";

/** The messages with the bytes of every marker in its place. Messages without media are passed through as they are. */
export async function loadMedia(
  store: MediaStore,
  dialect: Dialect,
  messages: readonly NativeMessage[],
  signal: AbortSignal,
): Promise<readonly NativeMessage[]> {
  const keys = new Set(markerPlaces(dialect, messages).map(({ key }) => key));
  if (keys.size === 0) return messages;
  const base64 = await readBase64(store, keys, signal);
  const missing = [...keys].find((key) => !base64.has(key));
  if (missing !== undefined) {
    const text = `The attachment ${missing} is not in the media store of this worker: point HOLDFAST_MEDIA_STORE of client and worker at the same store.`;
    throw activityFailure("media.missing_blob", text, { retryable: false });
  }
  return inlineMedia(dialect, messages, base64);
}

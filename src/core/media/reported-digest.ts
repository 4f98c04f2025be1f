/** Which blob an entry of a report speaks of. */
import type { Dialect } from "../dialects/dialect.js";
import type { MediaReportEntry, NativeMessage } from "../envelope/envelope.js";
import { digestOfKey, keyOf } from "./marker.js";
import { mediaPlaces } from "./media-place.js";

/** What is missing is named in the detail; of anything else the message may have just one of that type. */
export function reportedDigest(
  { detail = "", mime_type }: Pick<MediaReportEntry, "detail" | "mime_type">,
  message: NativeMessage | undefined,
  dialect: Pick<Dialect, "mapMedia">,
): string | undefined {
  const named = /[0-9a-f]{64}/.exec(detail)?.[0];
  if (named !== undefined || message === undefined) return named;
  const keys = mediaPlaces(dialect, [message]).flatMap((place) =>
    place.mime_type === mime_type ? (keyOf(place.data) ?? []) : [],
  );
  const [key] = keys;
  return key === undefined || new Set(keys).size > 1 ? undefined : digestOfKey(key);
}

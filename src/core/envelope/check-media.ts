/** What an envelope says of its media, checked. The keys in it are not to be trusted: only the one form passes. */
import type { EnvelopeIssue } from "../errors/errors.js";
import { digestOfKey, isMarker, isMediaKey } from "../media/marker.js";
import {
  type Check,
  count,
  flag,
  is,
  listOf,
  nonEmptyText,
  oneOf,
  optional,
  recordOf,
  sha256,
  shape,
  text,
  time,
} from "./check.js";
import type { Envelope, FileMarker, MediaEntry, MediaReportEntry } from "./envelope.js";

export const checkFileMarker: Check = shape<FileMarker>({
  marker: is("$media:<64 hex digits>.<extension>", (value) => typeof value === "string" && isMarker(value)),
  mime_type: nonEmptyText,
  size_bytes: count,
  name: text,
  json_bytes: optional(count),
});

const mediaEntry = shape<MediaEntry>({
  mime_type: nonEmptyText,
  size_bytes: count,
  json_bytes: optional(count),
  name: optional(text),
  uri: optional(nonEmptyText),
  expiration_time: optional(time),
  data: optional(text),
  ref: optional(is("<64 hex digits>.<extension>", (value) => typeof value === "string" && isMediaKey(value))),
});

export const checkMediaTable: Check = recordOf(sha256, mediaEntry);

/** Every entry that names a blob names that of its own digest. */
export function checkMediaRefs({ media }: Pick<Envelope, "media">): readonly EnvelopeIssue[] {
  return Object.entries(media).flatMap(([digest, { ref }]) =>
    ref === undefined || digestOfKey(ref) === digest
      ? []
      : [{ path: `media.${digest}.ref`, expected: "a key of the same digest", found: JSON.stringify(ref) }],
  );
}

export const checkMediaReport: Check = listOf(
  shape<MediaReportEntry>({
    reason: oneOf([
      "missing_blob",
      "over_inline_threshold",
      "expired_reuploaded",
      "dead_uri_reuploaded",
      "expired_unavailable",
      "stripped",
      "invalid_media",
    ]),
    mime_type: text,
    size: count,
    message_index: count,
    name: optional(text),
    uri: optional(text),
    detail: optional(text),
    preserved: optional(flag),
  }),
);

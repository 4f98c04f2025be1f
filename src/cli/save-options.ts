/** How a save writes media, as a command is told. */
import type { SaveOptions } from "../client/conversation-options.js";
import type { MediaPolicyOption } from "../core/envelope/envelope.js";
import { numberOption } from "./number-option.js";

const MOST_BYTES = Number.MAX_SAFE_INTEGER;

interface GivenSave {
  readonly media: MediaPolicyOption | undefined;
  readonly "media-store": string | undefined;
  readonly "media-max-inline-bytes": string | undefined;
}

/** @throws UsageError for a limit that is neither a number nor `none`. */
export function saveOptions(given: GivenSave): SaveOptions {
  const { media, "media-store": mediaStore, "media-max-inline-bytes": limit } = given;
  const bytes = limit === "none" ? null : numberOption("media-max-inline-bytes", limit, 0, MOST_BYTES);
  return {
    ...(media === undefined ? {} : { media }),
    ...(mediaStore === undefined ? {} : { mediaStore }),
    ...(bytes === undefined ? {} : { mediaMaxInlineBytes: bytes }),
  };
}

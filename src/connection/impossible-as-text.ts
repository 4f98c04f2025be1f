/** A text in the place of each medium for which the service that is to read the message would refuse every request. */
import type { AttachmentReader } from "../core/dialects/attachment-types.js";
import { impossibleParts } from "../core/dialects/impossible-parts.js";
import { dialectFor } from "../core/dialects/index.js";
import type { MediaReportEntry, NativeMessage } from "../core/envelope/envelope.js";
import { verdictText } from "./judge-media.js";

export interface WithoutImpossible {
  /** The very same object where there is no such medium. */
  readonly message: NativeMessage;
  /** What is wrong with each, in order. */
  readonly report: readonly Omit<MediaReportEntry, "message_index">[];
}

export function impossibleAsText(reader: AttachmentReader, message: NativeMessage): WithoutImpossible {
  const dialect = dialectFor(reader.provider);
  const parts = impossibleParts(reader, message).map(({ path, expected, mime_type, slot }) => {
    const verdict = { reason: "invalid_media", detail: `${path}: expected ${expected}` } as const;
    return { slot, text: verdictText(mime_type, 0, verdict), entry: { ...verdict, mime_type, size: 0 } };
  });
  return {
    // From the last to the first: a part that goes does not move those that are still to be found.
    message: parts.reduceRight(
      (changed, { slot, text }) => dialect.withMediaText(changed, slot, text),
      message,
    ),
    report: parts.map(({ entry }) => entry),
  };
}

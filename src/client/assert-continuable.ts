/** Whether a restored history can be continued by its own service. */
import type { AttachmentReader } from "../core/dialects/attachment-types.js";
import { impossibleParts } from "../core/dialects/impossible-parts.js";
import { mendHistory } from "../core/dialects/mend-history.js";
import { wrongHistory } from "../core/envelope/damage.js";
import type { Envelope, NativeMessage } from "../core/envelope/envelope.js";
import type { HistoryIssue } from "../core/errors/errors.js";
import { dialectOf } from "../core/providers.js";

const PRESERVING =
  "Mend these messages, or restore with preserveMedia (--preserve-media), which leaves such media out of each request.";

export interface ContinuableOptions {
  readonly preserveMedia?: boolean;
  /** Who continues it, another server of the same dialect maybe: what only one of the two takes is no fault of the history. */
  readonly reader?: AttachmentReader;
}

/**
 * Repeated ids, blank text and calls that were never answered are mended in each request and pass here, and so do, where they are
 * to be preserved, media that say nothing: they are left out of each request.
 *
 * @throws InvalidHistoryError naming index and path of what would make every turn fail.
 */
export function assertContinuable(
  { messages, provider }: Pick<Envelope, "messages" | "provider">,
  { preserveMedia = false, reader = { provider } }: ContinuableOptions = {},
): void {
  const { issues: unanswered } = mendHistory(dialectOf(provider), messages);
  const readers = [{ ...reader, provider }, reader];
  const media = preserveMedia
    ? []
    : messages.flatMap((message, index) => mediaIssues(readers, message, index));
  if (unanswered.length > 0) throw wrongHistory("The envelope", provider, [...unanswered, ...media]);
  if (media.length > 0) throw wrongHistory("The envelope", provider, media, PRESERVING);
}

/** What none of the readers could be sent. */
function mediaIssues(
  [first, ...others]: readonly AttachmentReader[],
  message: NativeMessage,
  index: number,
): readonly HistoryIssue[] {
  if (first === undefined) return [];
  const isFor = (reader: AttachmentReader, path: string): boolean =>
    impossibleParts(reader, message).some((part) => part.path === path);
  return impossibleParts(first, message)
    .filter(({ path }) => others.every((reader) => isFor(reader, path)))
    .map(({ path, expected }) => ({ index, path, expected }));
}

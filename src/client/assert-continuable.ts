/** Whether a restored history can be continued by its own service. */
import { impossibleParts } from "../core/dialects/impossible-parts.js";
import { mendHistory } from "../core/dialects/mend-history.js";
import { wrongHistory } from "../core/envelope/damage.js";
import type { Envelope, NativeMessage } from "../core/envelope/envelope.js";
import type { HistoryIssue } from "../core/errors/errors.js";
import { dialectOf } from "../core/providers.js";

/**
 * Repeated ids, blank text and calls that were never answered are mended in each request and pass here, and so do, where they are
 * to be preserved, media that say nothing: they are left out of each request.
 *
 * @throws InvalidHistoryError naming index and path of what would make every turn fail.
 */
export function assertContinuable(
  { messages, provider }: Pick<Envelope, "messages" | "provider">,
  { preserveMedia = false }: { readonly preserveMedia?: boolean } = {},
): void {
  const { issues: unanswered } = mendHistory(dialectOf(provider), messages);
  const media = preserveMedia
    ? []
    : messages.flatMap((message, index) => mediaIssues(provider, message, index));
  const issues = [...unanswered, ...media];
  if (issues.length > 0) throw wrongHistory("The envelope", provider, issues);
}

function mediaIssues(
  provider: Envelope["provider"],
  message: NativeMessage,
  index: number,
): readonly HistoryIssue[] {
  const found = impossibleParts(dialectOf(provider), message);
  return found.map(({ path, expected }) => ({ index, path, expected }));
}

/** Whether a restored history can be continued by its own service. */
import { mendHistory } from "../core/dialects/mend-history.js";
import { wrongHistory } from "../core/envelope/damage.js";
import type { Envelope } from "../core/envelope/envelope.js";
import { dialectOf } from "../core/providers.js";

/**
 * Repeated ids, blank text and calls that were never answered are mended in each request and pass here.
 *
 * @throws InvalidHistoryError naming index and path of what would make every turn fail.
 */
export function assertContinuable({ messages, provider }: Pick<Envelope, "messages" | "provider">): void {
  const { issues } = mendHistory(dialectOf(provider), messages);
  if (issues.length > 0) throw wrongHistory("The envelope", provider, issues);
}

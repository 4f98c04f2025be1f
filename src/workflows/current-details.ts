/** What Temporal's own page shows of a conversation: one line of Markdown. */
import { pendingApprovals } from "../core/conversation/approvals.js";
import type { ConversationState } from "../core/conversation/state.js";

export function currentDetails({ head, running }: ConversationState): string {
  const idle = head.closing ? "closing" : "waiting for a message";
  const waits = running !== null && pendingApprovals(running).length > 0;
  const now =
    running === null ? idle : `turn ${head.run_count + 1} ${waits ? "waits for approval" : "is running"}`;
  return `**${head.model}** (${head.provider}) · ${head.run_count} turns committed · ${now}`;
}

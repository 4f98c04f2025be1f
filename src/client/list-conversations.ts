/** Lists of conversations: the open ones from the server, the closed ones from the working store. */
import { WORKFLOW_TYPE } from "../core/conversation/messages.js";
import type { ClientContext } from "./client-context.js";
import { unwrapFailure } from "./unwrap-failure.js";

export interface ConversationSummary {
  readonly id: string;
  readonly state: "open" | "closed";
  readonly provider: string;
  readonly model: string;
  readonly created_at: string | null;
  readonly closed_at: string | null;
  /** Committed turns; null for an open conversation, whose count only it knows. */
  readonly run_count: number | null;
}

export async function listOpen({ client, settings }: ClientContext): Promise<readonly ConversationSummary[]> {
  const query = `WorkflowType = '${WORKFLOW_TYPE}' AND ExecutionStatus = 'Running' AND TaskQueue = '${settings.taskQueue.replaceAll("'", "''")}'`;
  const summaries: ConversationSummary[] = [];
  try {
    for await (const { workflowId, memo, startTime } of client.workflow.list({ query })) {
      summaries.push({
        id: workflowId,
        state: "open",
        provider: String(memo?.provider ?? ""),
        model: String(memo?.model ?? ""),
        created_at: typeof memo?.created_at === "string" ? memo.created_at : startTime.toISOString(),
        closed_at: null,
        run_count: null,
      });
    }
  } catch (error) {
    throw unwrapFailure(error, "");
  }
  return summaries;
}

export async function listClosed({ closed }: ClientContext): Promise<readonly ConversationSummary[]> {
  return (await closed.list()).map((pointer) => ({
    id: pointer.conversation_id,
    state: "closed",
    provider: pointer.provider,
    model: pointer.model,
    created_at: null,
    closed_at: pointer.closed_at,
    run_count: pointer.run_count,
  }));
}

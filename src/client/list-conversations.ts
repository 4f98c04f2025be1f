/** Lists of conversations: the open ones from the server, the closed ones from the working store. */
import pLimit from "p-limit";
import { type ConversationStatus, WORKFLOW_TYPE } from "../core/conversation/messages.js";
import { UsageError } from "../core/errors/errors.js";
import * as m from "../workflows/messages.js";
import type { ClientContext } from "./client-context.js";
import { unwrapFailure } from "./unwrap-failure.js";

/** What an open conversation does: waits for a message, runs a turn, waits for somebody's word on a tool call, closes. */
export type ConversationActivity = "idle" | "running" | "waiting_for_approval" | "closing";

export interface ConversationSummary {
  readonly id: string;
  /** `open`: what it does was not asked, or nobody has answered in time. */
  readonly state: "open" | "closed" | ConversationActivity;
  readonly provider: string;
  readonly model: string;
  readonly created_at: string | null;
  readonly closed_at: string | null;
  /** Committed turns; null for an open conversation, whose count only it knows. */
  readonly run_count: number | null;
}

export interface ListOptions {
  /** Those that were closed, in the place of those that are open. */
  readonly closed?: boolean;
  /**
   * How many of the open ones are asked what they do, the newest first: a query each, eight at a time, as long as any of them
   * answers within 3 seconds. 0 by default, and their state is `open`.
   */
  readonly activity?: number;
}

/** @throws UsageError for an option that is none; ServerUnreachableError */
export async function listConversations(
  context: ClientContext,
  { closed = false, activity = 0 }: ListOptions,
): Promise<readonly ConversationSummary[]> {
  if (!(typeof activity === "number" && activity >= 0))
    throw new UsageError("list takes {activity: how many of the open ones are asked, from 0}.");
  if (closed) return listClosed(context);
  return withActivity(context, await listOpen(context), activity);
}

async function listOpen({ client, settings }: ClientContext): Promise<readonly ConversationSummary[]> {
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

async function listClosed({ closed }: ClientContext): Promise<readonly ConversationSummary[]> {
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

/** Each question costs the conversation's worker a look at its state, or a replay. */
const ASKED_AT_ONCE = 8;
/** After so long without any answer nobody is waited for. */
const PATIENCE_MS = 3_000;

/** The first so many with what they do, as they say themselves. Who does not answer stays as it is, and fails nothing. */
async function withActivity(
  { client }: Pick<ClientContext, "client">,
  summaries: readonly ConversationSummary[],
  first: number,
): Promise<readonly ConversationSummary[]> {
  const { promise: silence, resolve: giveUp } = Promise.withResolvers<void>();
  const timer = setTimeout(giveUp, PATIENCE_MS);
  const limit = pLimit({ concurrency: ASKED_AT_ONCE, rejectOnClear: true });
  const asked = summaries.map((summary, index) => {
    if (index >= first) return summary;
    const answer = limit(async () => {
      const status = await client.workflow.getHandle(summary.id).query(m.status);
      timer.refresh();
      return { ...summary, state: activityOf(status) };
    });
    return Promise.race([answer.catch(() => summary), silence.then(() => summary)]);
  });
  try {
    return await Promise.all(asked);
  } finally {
    clearTimeout(timer);
    limit.clearQueue();
  }
}

function activityOf({ state, approvals, running }: ConversationStatus): ConversationActivity {
  if (state === "closed" || state === "closing") return "closing";
  if (approvals.length > 0) return "waiting_for_approval";
  return running === null && state === "idle" ? "idle" : "running";
}

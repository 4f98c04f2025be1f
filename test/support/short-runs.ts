/** Conversations whose runs are short, and the chains of runs that they leave. */
import { randomUUID } from "node:crypto";
import type proto from "@temporalio/proto";
import type { Conversation } from "../../src/client/conversation.js";
import type { Conversations } from "../../src/client/conversations.js";
import { startOptions } from "../../src/client/start-workflow.js";
import { WORKFLOW_TYPE } from "../../src/core/conversation/messages.js";
import { freshState } from "../../src/core/conversation/restore.js";
import type { RunLimits } from "../../src/core/conversation/run-limits.js";
import { withHead } from "../../src/core/conversation/state.js";
import { prefixOf } from "../../src/core/envelope/fingerprint.js";

export type History = proto.temporal.api.history.v1.IHistory;

export interface ShortRunsOptions {
  readonly model?: string;
  readonly checkpoint?: string;
  readonly id?: string;
  /** Of the worker. */
  readonly tools?: readonly string[];
}

const DEFAULT_MODEL = "claude-haiku-4-5";

/** A conversation that continues as new as soon as a run has reached one of these limits. */
export async function startShortRuns(
  conversations: Conversations,
  limits: Partial<RunLimits>,
  { model = DEFAULT_MODEL, checkpoint, id = randomUUID(), tools = [] }: ShortRunsOptions = {},
): Promise<Conversation> {
  const agent = { model, instructions: "Be brief.", tools: tools.map((name) => ({ name })), params: {} };
  const fresh = freshState({
    conversationId: id,
    now: new Date().toISOString(),
    agent,
    prefix: prefixOf(agent),
    checkpoint:
      checkpoint === undefined ? null : { path: checkpoint, run_count: null, turn_id: null, error: null },
  });
  const state = withHead(fresh, { limits });
  const { taskQueue } = conversations.settings;
  await conversations.temporal.workflow.start(
    WORKFLOW_TYPE,
    startOptions(state, taskQueue, "REJECT_DUPLICATE"),
  );
  return conversations.open(id);
}

/** The server can give out no page above 4 MiB. */
const PAGE_EVENTS = 10;

async function historyOf(
  { temporal }: Pick<Conversations, "temporal">,
  workflowId: string,
  runId: string | undefined,
): Promise<History> {
  const execution = { workflowId, ...(runId === undefined ? {} : { runId }) };
  const events: proto.temporal.api.history.v1.IHistoryEvent[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const { namespace } = temporal.options;
    const request = {
      namespace,
      execution,
      maximumPageSize: PAGE_EVENTS,
      nextPageToken: nextPageToken ?? null,
    };
    const page = await temporal.workflowService.getWorkflowExecutionHistory(request);
    events.push(...(page.history?.events ?? []));
    nextPageToken = page.nextPageToken;
  } while (nextPageToken !== undefined && nextPageToken.length > 0);
  return { events };
}

/** The histories of a conversation's runs, oldest first. */
export async function historiesOf(
  conversations: Pick<Conversations, "temporal">,
  id: string,
): Promise<readonly History[]> {
  const histories: History[] = [];
  let runId: string | undefined;
  do {
    const history = await historyOf(conversations, id, runId);
    histories.unshift(history);
    const [started] = history.events ?? [];
    runId = started?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? "";
  } while (runId !== "");
  return histories;
}

// A conversation that continues as new after every second turn: each of its runs is a history of its own.
import { startOptions } from "../../dist/client/start-workflow.js";
import { WORKFLOW_TYPE } from "../../dist/core/conversation/messages.js";
import { freshState } from "../../dist/core/conversation/restore.js";
import { withHead } from "../../dist/core/conversation/state.js";
import { prefixOf } from "../../dist/core/envelope/fingerprint.js";

const AGENT = {
  model: "claude-haiku-4-5",
  instructions: "You review contracts. Be brief.",
  tools: [],
  params: {},
};

export async function continued({ handle, open, simulator, eventually }) {
  const { client, workflowId } = handle();
  const conversationId = workflowId;
  const now = new Date().toISOString();
  const fresh = freshState({ conversationId, now, agent: AGENT, prefix: prefixOf(AGENT), checkpoint: null });
  const state = withHead(fresh, { limits: { events: 30 } });
  await client.start(WORKFLOW_TYPE, startOptions(state, "holdfast", "REJECT_DUPLICATE"));
  const conversation = await open(conversationId);
  for (const turnId of ["t1", "t2", "t3"]) await conversation.run(`Question of ${turnId}`, { turnId });
  simulator.script({ pace: { minimumReplyMs: 500 } });
  const turns = [];
  for (const turnId of ["t4", "t5", "t6"])
    turns.push(await conversation.submit(`Question of ${turnId}`, { turnId }));
  for (const turn of turns) await turn.result();
  await conversation.rebind("gpt-6-luna");
  await eventually(async () => (await conversation.status()).provider === "openai");
  await conversation.run("Question of t7", { turnId: "t7" });
}

/** The histories of a conversation's runs by the name under which each is kept: the newest under the conversation's own. */
export async function runsOf(workflowClient, name) {
  const histories = [];
  for (let runId; runId !== ""; ) {
    const history = await workflowClient.getHandle(name, runId).fetchHistory();
    histories.unshift(history);
    runId = history.events[0].workflowExecutionStartedEventAttributes.continuedExecutionRunId;
  }
  const last = histories.length - 1;
  return histories.map((history, run) => [run === last ? name : `${name}-${run + 1}`, history]);
}

// Conversations of short runs: each of their runs is a history of its own.
import { startOptions } from "../../src/client/start-workflow.js";
import { WORKFLOW_TYPE } from "../../src/core/conversation/messages.js";
import { freshState } from "../../src/core/conversation/restore.js";
import { withHead } from "../../src/core/conversation/state.js";
import { prefixOf } from "../../src/core/envelope/fingerprint.js";

const AGENT = {
  model: "claude-haiku-4-5",
  instructions: "You review contracts. Be brief.",
  tools: [],
  params: {},
};

async function startShortRuns({ handle, open }, tools = []) {
  const { client, workflowId: conversationId } = handle();
  const now = new Date().toISOString();
  const agent = { ...AGENT, tools };
  const fresh = freshState({ conversationId, now, agent, prefix: prefixOf(agent), checkpoint: null });
  const state = withHead(fresh, { limits: { events: 30 } });
  await client.start(WORKFLOW_TYPE, startOptions(state, "holdfast", "REJECT_DUPLICATE"));
  return open(conversationId);
}

/** Continues as new after every second turn. */
export async function continued({ handle, open, simulator, eventually }) {
  const conversation = await startShortRuns({ handle, open });
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

/** Continues as new in the middle of two turns that wait for approval; the second one is stopped after that. */
export async function parkedMove({ handle, open, simulator, eventually }) {
  const conversation = await startShortRuns({ handle, open }, [{ name: "add" }, { name: "pay" }]);
  const runId = async () => (await handle().describe()).runId;
  const waits = (count) => eventually(async () => (await conversation.status()).approvals.length === count);
  const toNextRun = async () => {
    const before = await runId();
    for (let sent = 0; sent < 6; sent++) await handle().signal("unknown_to_it");
    await eventually(async () => (await runId()) !== before);
  };
  const pay = (amount) => ({ name: "pay", arguments: { amount } });
  simulator.script({ reply: { toolCalls: [{ name: "add", arguments: { a: 1, b: 1 } }, pay(10), pay(20)] } });
  const turn = await conversation.submit("Question of t1", { turnId: "t1" });
  await waits(2);
  const queued = await conversation.submit("Waits behind it", { turnId: "t2" });
  await toNextRun();
  await conversation.deny(2, { reason: "Too much." });
  await waits(1);
  await toNextRun();
  await conversation.approve(3);
  await turn.result();
  await queued.result();
  simulator.script({ reply: { toolCalls: [pay(30)] } });
  const stopped = await conversation.submit("Stopped by its user", { turnId: "t3" });
  await waits(1);
  await toNextRun();
  await conversation.cancel("t3", "Enough.");
  await stopped.result().catch(() => undefined);
  await eventually(async () => (await conversation.status()).state === "idle");
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

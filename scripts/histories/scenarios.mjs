// What is recorded: each scenario leads one conversation, of the scenario's name, through one part of its life. Small, and as
// much the same at every recording as can be.
import { continued, parkedMove } from "./continued.mjs";
import { encodePdf } from "./pdf.mjs";

const HAIKU = "claude-haiku-4-5";
const OPUS = "claude-opus-5-5";
const OTHER_PROVIDER = "gpt-6-luna";
const INSTRUCTIONS = "You review contracts. Be brief.";

/** Above the size from which payloads lie outside of the events. */
const LARGE_TEXT = "A clause of a contract that has very many of them. ".repeat(2_700);

/** Neutral, and the same on every machine. */
export const CHECKPOINT = "/tmp/holdfast-history/checkpoint.json";

export const scenarios = {
  async plain({ start }) {
    const conversation = await start();
    for (const turnId of ["t1", "t2", "t3"]) await conversation.run(`Question of ${turnId}`, { turnId });
  },

  async openai({ start }) {
    const conversation = await start(OTHER_PROVIDER);
    await conversation.run("Question of t1", { turnId: "t1" });
    await conversation.run("Question of t2", { turnId: "t2" });
  },

  /** Recorded when each reply to somebody who asked left at once, however many there were. */
  async replies({ start, handle, simulator }) {
    const conversation = await start();
    simulator.script({ reply: { text: "Late." }, pace: { minimumReplyMs: 2_000 } });
    const turn = await conversation.submit("Question of t1", { turnId: "t1" });
    await simulator.waitForCall(({ chunksSent }) => chunksSent > 0);
    const ask = (turn_id, workflow_id) =>
      handle().signal("submit_turn", { message: "Again?", turn_id, reply_to: { workflow_id } });
    for (let asker = 0; asker < 54; asker++) await ask("t1", `asker-${asker % 27}`);
    await turn.result();
    await conversation.run("Question of t2", { turnId: "t2" });
    await ask("t2", "asker-0");
    await conversation.run("Question of t3", { turnId: "t3" });
  },

  async google({ start }) {
    const conversation = await start("gemini-3.5-flash-lite");
    await conversation.run("Question of t1", { turnId: "t1" });
    await conversation.run("Question of t2", { turnId: "t2" });
  },

  async fireworks({ start }) {
    const conversation = await start("accounts/fireworks/models/kimi-k3");
    await conversation.run("Question of t1", { turnId: "t1" });
    await conversation.run("Question of t2", { turnId: "t2" });
  },

  async media({ start }) {
    const conversation = await start();
    await conversation.run("What is the notice?", {
      turnId: "t1",
      files: [await contract()],
    });
    await conversation.run("And who may give it?", { turnId: "t2" });
  },

  async interrupted({ start, simulator }) {
    const conversation = await start();
    simulator.script({ fault: { kind: "status", status: 503, retryAfterMs: 20 } });
    await conversation.run("Answered at the second attempt", { turnId: "t1" });
    simulator.script({ fault: { kind: "status", status: 400 } });
    await fails(conversation.run("Refused by the provider", { turnId: "t2" }));
    await conversation.resend();
    simulator.script({ fault: { kind: "hang", afterChunks: 2 } });
    const stopped = await conversation.submit("Stopped by its user", { turnId: "t3" });
    await simulator.waitForCall(({ lastUserText }) => lastUserText === "Stopped by its user");
    await conversation.cancel("t3", "Enough.");
    await fails(stopped.result());
  },

  async rebind({ start, simulator, eventually }) {
    const conversation = await start();
    await conversation.run("Question of t1", { turnId: "t1" });
    await conversation.rebind(OPUS);
    await conversation.run("Question of t2", { turnId: "t2" });
    simulator.script({ pace: { minimumReplyMs: 1_000 } });
    const running = await conversation.submit("Runs", { turnId: "t3" });
    await fails(conversation.rebind(HAIKU));
    await conversation.rebind(HAIKU, { wait: false });
    await eventually(async () => (await conversation.status()).refusals.length === 1);
    await running.result();
    await conversation.rebind(HAIKU, { wait: false });
    await eventually(async () => (await conversation.status()).model === HAIKU);
  },

  async converted({ start }) {
    const conversation = await start();
    await conversation.run("Question of t1", { turnId: "t1", files: [await contract()] });
    await conversation.previewRebind(OTHER_PROVIDER);
    await conversation.rebind(OTHER_PROVIDER);
    await conversation.run("Question of t2", { turnId: "t2" });
    await conversation.rebind(HAIKU);
    await conversation.run("Question of t3", { turnId: "t3" });
  },

  async queued({ start, simulator }) {
    const conversation = await start();
    simulator.script({ pace: { minimumReplyMs: 30_000 } });
    const running = await conversation.submit("Runs", { turnId: "t1" });
    const waiting = [];
    for (const turnId of ["t2", "t3", "t4"])
      waiting.push(await conversation.submit(`Question of ${turnId}`, { turnId }));
    await conversation.submit("Question of t2", { turnId: "t2" });
    await fails(conversation.submit("Not now", { onBusy: "reject", turnId: "t5" }));
    await conversation.cancel("t4");
    const urgent = await conversation.submit("At once", { onBusy: "interrupt", turnId: "t6" });
    await fails(running.result());
    await urgent.result();
    for (const turn of waiting.slice(0, 2)) await turn.result();
    await fails(waiting[2].result());
  },

  async checkpoint({ start, simulator }) {
    const conversation = await start(HAIKU, { checkpoint: { path: CHECKPOINT } });
    await conversation.run("Question of t1", { turnId: "t1" });
    simulator.script({ fault: { kind: "status", status: 400 } });
    await fails(conversation.run("Refused by the provider", { turnId: "t2" }));
    await conversation.run("Question of t3", { turnId: "t3" });
  },

  /** Its last turn still runs when it is closed. */
  async closed({ start, simulator }) {
    const conversation = await start();
    await conversation.run("Question of t1", { turnId: "t1" });
    simulator.script({ pace: { minimumReplyMs: 500 } });
    await conversation.submit("Question of t2", { turnId: "t2" });
    await conversation.close();
  },

  /** Cancelled by Temporal while a turn runs, another waits, and a caller waits inside the update. */
  async cancelled({ start, simulator, handle }) {
    const conversation = await start();
    simulator.script({ fault: { kind: "hang" } });
    const inside = handle().executeUpdate("run_turn", { args: [{ message: "Runs", turn_id: "t1" }] });
    await simulator.waitForCall(({ lastUserText }) => lastUserText === "Runs");
    await conversation.submit("Waits", { turnId: "t2" });
    await handle().cancel();
    await fails(inside);
    await handle().result();
  },

  continued,

  "parked-move": parkedMove,

  async large({ start }) {
    const conversation = await start();
    await conversation.run(`${LARGE_TEXT} What does it say?`, { turnId: "t1" });
    await conversation.run("Question of t2", { turnId: "t2" });
  },

  /** From the envelope of `large`: its arguments lie outside of the events. */
  async "large-restored"({ open, restore }) {
    const conversation = await restore(await (await open("large")).toEnvelope());
    await conversation.run("Question of t3", { turnId: "t3" });
  },

  /** From an envelope with an interrupted turn, an unknown key and another agent. */
  async restored({ open, restore, agent }) {
    const envelope = await (await open("interrupted")).toEnvelope();
    const { checksum: _, ...unsealed } = envelope;
    const changed = agent(OPUS, "You review contracts. Answer at length.");
    const conversation = await restore({ ...unsealed, department: "legal" }, { agent: changed });
    await conversation.resend();
    await conversation.run("Question of t5", { turnId: "t5" });
  },

  /** An answer that is sent back and then fits, and one that never does, under a schema of its own. */
  async "structured-output"({ start, simulator }) {
    const session = await start();
    const schema = {
      type: "object",
      properties: { title: { type: "string" }, days: { type: "integer" } },
      required: ["title", "days"],
    };
    const text = (days) => ({ reply: { text: JSON.stringify({ title: "Payment", days }) } });
    simulator.script(text("thirty"), text(30), text("thirty"), text("forty"));
    await session.run("What is clause 4?", { output: { schema } });
    await session.run("And clause 5?", { output: { schema } }).catch(() => undefined);
    await session.run("What was the first question?");
  },

  async tools({ startWithTools, simulator }) {
    const conversation = await startWithTools(["add", "look", "draw"]);
    simulator.script({ reply: { text: "One moment.", toolCalls: [call("add", { a: 2, b: 3 })] } });
    simulator.script({ reply: { toolCalls: [call("look", { key: "a" })] } });
    simulator.script({ reply: { toolCalls: [call("draw")] } });
    await conversation.run("Question of t1", { turnId: "t1" });
    await conversation.run("Question of t2", { turnId: "t2" });
  },

  /** Passed between two rounds, before a first call, and by the message's own; then raised. */
  async budget({ startWithBudget, simulator }) {
    const conversation = await startWithBudget(["add"], {
      turn: { tool_rounds: 1 },
      conversation: { tokens: 5_000, cost: 100 },
    });
    for (let round = 0; round < 2; round++)
      simulator.script({ reply: { toolCalls: [call("add", { a: 2, b: 3 })] } });
    await fails(conversation.run("A round too many", { turnId: "t1" }));
    simulator.script({ reply: { text: "Yes.", usage: { input_tokens: 4_000, output_tokens: 800 } } });
    await conversation.run("Question of t2", { turnId: "t2", budget: { provider_calls: 3 } });
    simulator.script({ reply: { text: "Yes.", usage: { input_tokens: 4_000, output_tokens: 800 } } });
    await fails(conversation.run("word ".repeat(400), { turnId: "t3" }));
    await conversation.rebind(HAIKU, { budget: { conversation: { tokens: 50_000 } } });
    await conversation.run("Question of t4", { turnId: "t4" });
  },

  /** Side by side, one that fails, one that nobody has; then a tool that fails the turn. */
  async "tools-parallel"({ startWithTools, simulator }) {
    const conversation = await startWithTools(["add", "look", "fail", "forbid"], OTHER_PROVIDER);
    const sums = [call("add", { a: 1, b: 1 }), call("add", { a: 2, b: 2 }), call("fail"), call("unheard_of")];
    simulator.script({ reply: { toolCalls: [...sums, call("look", { key: "b" })] } });
    await conversation.run("Question of t1", { turnId: "t1" });
    simulator.script({ reply: { toolCalls: [call("add", { a: 3, b: 3 }), call("forbid")] } });
    await fails(conversation.run("Forbidden", { turnId: "t2" }));
    await conversation.run("Question of t3", { turnId: "t3" });
  },

  async "tools-cancelled"({ startWithTools, simulator, eventually, handle }) {
    const conversation = await startWithTools(["add", "wait"]);
    simulator.script({ reply: { toolCalls: [call("wait"), call("add", { a: 1, b: 1 })] } });
    const stopped = await conversation.submit("Stopped by its user", { turnId: "t1" });
    await eventually(async () => {
      const { raw } = await handle().describe();
      const [waiting, ...others] = raw.pendingActivities ?? [];
      return (
        others.length === 0 && waiting?.activityType?.name === "callTool" && waiting.lastStartedTime !== null
      );
    });
    await conversation.cancel("t1", "Enough.");
    await fails(stopped.result());
    await conversation.run("Question of t2", { turnId: "t2" });
  },

  /** Approved, denied and approved with other arguments; then stopped while it waits. */
  async "tools-approval"({ startWithTools, simulator, eventually }) {
    const conversation = await startWithTools(["add", "pay"]);
    const waits = (count) => eventually(async () => (await conversation.status()).approvals.length === count);
    const pays = [10, 20, 30].map((amount) => call("pay", { amount }));
    simulator.script({ reply: { toolCalls: [...pays, call("add", { a: 1, b: 1 })] } });
    const turn = await conversation.submit("Question of t1", { turnId: "t1" });
    await waits(3);
    await conversation.approve(1);
    await waits(2);
    await conversation.deny(2, { reason: "Too much." });
    await waits(1);
    await conversation.approve(3, { arguments: { amount: 3 } });
    await turn.result();
    simulator.script({ reply: { toolCalls: [call("pay", { amount: 40 })] } });
    const stopped = await conversation.submit("Stopped by its user", { turnId: "t2" });
    await waits(1);
    await conversation.cancel("t2", "Enough.");
    await fails(stopped.result());
    await conversation.run("Question of t3", { turnId: "t3" });
  },

  /** What cannot be decoded, what has no sense, and what is refused, between two turns that are answered. */
  async nonsense({ start, handle, signalRaw, eventually }) {
    const conversation = await start();
    await conversation.run("Question of t1", { turnId: "t1" });
    for (const name of ["submit_turn", "rebind", "cancel_turn", "close_at_once"]) await signalRaw(name);
    await handle().signal("submit_turn", 7);
    await handle().signal("submit_turn", { message: "", turn_id: "t2" });
    await handle().signal("submit_turn", { message: "By hand" });
    await handle().signal("rebind", { agent: { model: 1 } });
    await handle().signal("cancel_turn", { turn_id: "nobody" });
    await handle().signal("unheard_of");
    for (const name of ["submit_turn", "run_turn", "rebind", "unheard_of"])
      await fails(handle().executeUpdate(name, { args: [{ nonsense: true }] }));
    await eventually(async () => (await conversation.status()).run_count === 2);
    await handle().executeUpdate("run_turn", { args: [{ message: "Question of t3", turn_id: "t3" }] });
  },
};

export { HAIKU, INSTRUCTIONS };

function call(name, args = {}) {
  return { name, arguments: args };
}

async function contract() {
  return {
    name: "contract.pdf",
    data: await encodePdf("Clause 4: either side may terminate with a notice of thirty days."),
    mime_type: "application/pdf",
  };
}

async function fails(work) {
  const failed = await work.then(
    () => false,
    () => true,
  );
  if (!failed) throw new Error("Something was answered that a scenario wants refused.");
}

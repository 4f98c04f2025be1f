// DBOS, a workflow for each conversation: it waits for a message, calls the provider in a step, publishes the answer as an event under
// the turn's name. https://docs.dbos.dev/typescript/tutorials/workflow-communication
import { rowBytes } from "../../suite/row-bytes.mjs";
import { markStart, serveAdapter } from "../../suite/serve-adapter.mjs";

const mark = markStart();
const [{ DBOS }, { default: pg }, { default: OpenAI }] = await Promise.all([
  import("@dbos-inc/dbos-sdk"),
  import("pg"),
  import("openai"),
]);
mark("imported");
const { POSTGRESQL_URL: url } = process.env;
const { BENCH_PROVIDER_URL: baseURL, BENCH_API_KEY: apiKey, BENCH_MODEL: model } = process.env;
const openai = new OpenAI({ apiKey, baseURL });
const LONG_S = 7 * 24 * 3_600;

async function callModel(messages) {
  const { choices } = await openai.chat.completions.create({ model, messages });
  return choices[0].message.content;
}

async function streamModel(messages, turn) {
  let answer = "";
  for await (const { choices } of await openai.chat.completions.create({ model, messages, stream: true })) {
    const piece = choices[0]?.delta.content ?? "";
    if (piece !== "") await DBOS.writeStream(turn, piece);
    answer += piece;
  }
  return answer;
}

const conversationWorkflow = DBOS.registerWorkflow(
  async () => {
    const messages = [];
    for (;;) {
      const message = await DBOS.recv("messages", { timeoutSeconds: LONG_S });
      if (message === null) continue;
      if (message.end === true) return;
      messages.push({ role: "user", content: message.text });
      const call = message.stream === true ? streamModel : callModel;
      const answer = await DBOS.runStep(() => call(messages, message.turn), { name: "callModel" });
      messages.push({ role: "assistant", content: answer });
      await DBOS.setEvent(message.turn, answer);
    }
  },
  { name: "conversation" },
);

/** The id of the turn keeps a message that is sent again from being taken twice. */
const send = (conversation, message) =>
  DBOS.send(conversation, message, "messages", `${conversation}/${message.turn}`);

const answerOf = (conversation, turn) => DBOS.getEvent(conversation, turn, { timeoutSeconds: LONG_S });

DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, logLevel: "warn" });
await DBOS.launch();
const pool = new pg.Pool({ connectionString: url });
mark("connected");

await serveAdapter(mark, {
  async open(conversation) {
    await DBOS.startWorkflow(conversationWorkflow, { workflowID: conversation })();
  },
  async turn(conversation, turn, text) {
    await send(conversation, { turn, text });
    return answerOf(conversation, turn);
  },
  async bytes(conversation) {
    const tables = ["workflow_status", "operation_outputs", "workflow_events", "workflow_events_history"];
    const sizes = tables.map((table) => rowBytes(pool, `dbos.${table}`, "workflow_uuid = $1", conversation));
    sizes.push(rowBytes(pool, "dbos.notifications", "destination_uuid = $1", conversation));
    return { bytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) };
  },
  async history(conversation) {
    const steps = await DBOS.listWorkflowSteps(conversation);
    return steps.flatMap(({ name, output }) => {
      if (name === "callModel") return [{ role: "assistant", content: output }];
      return name === "DBOS.recv" && output !== null ? [{ role: "user", content: output.text }] : [];
    });
  },
  completed: answerOf,
  async firstToken(conversation, turn, text) {
    await send(conversation, { turn, text, stream: true });
    await DBOS.readStream(conversation, turn).next();
  },
  close: (conversation) => send(conversation, { turn: "end", end: true }),
  async stop() {
    await pool.end();
    await DBOS.shutdown();
  },
});

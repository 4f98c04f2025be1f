// DBOS, a workflow for each turn: one step calls the provider with what the application's own table has, a second one writes the two messages
// there, in a way that may be repeated. A workflow is found again by its id, so the id of the turn is its idempotency key.
// https://docs.dbos.dev/typescript/tutorials/workflow-tutorial and https://docs.dbos.dev/typescript/tutorials/step-tutorial. Not a transaction
// of a data source: of the packages for that only Prisma's, which generates code, is of this SDK's major version; the others fail with it.
import { rowBytes } from "../../suite/row-bytes.mjs";
import { markStart, serveAdapter } from "../../suite/serve-adapter.mjs";

const mark = markStart();
const [{ DBOS }, { default: pg }, { default: OpenAI }] = await Promise.all([
  import("@dbos-inc/dbos-sdk"),
  import("pg"),
  import("openai"),
]);
mark("imported");
const { POSTGRESQL_URL: url, BENCH_FRESH } = process.env;
const { BENCH_PROVIDER_URL: baseURL, BENCH_API_KEY: apiKey, BENCH_MODEL: model } = process.env;
const openai = new OpenAI({ apiKey, baseURL });
const pool = new pg.Pool({ connectionString: url });
const TABLE = `create table messages (
  conversation text not null, position int generated always as identity, turn text not null, role text not null,
  content text not null, primary key (conversation, position), unique (conversation, turn, role))`;

async function messagesOf(conversation) {
  const read = "select role, content from messages where conversation = $1 order by position";
  return (await pool.query(read, [conversation])).rows;
}

async function callModel(conversation, text) {
  const messages = [...(await messagesOf(conversation)), { role: "user", content: text }];
  const { choices } = await openai.chat.completions.create({ model, messages });
  return choices[0].message.content;
}

async function streamModel(conversation, text) {
  const messages = [...(await messagesOf(conversation)), { role: "user", content: text }];
  let answer = "";
  for await (const { choices } of await openai.chat.completions.create({ model, messages, stream: true })) {
    const piece = choices[0]?.delta.content ?? "";
    if (piece !== "") await DBOS.writeStream("answer", piece);
    answer += piece;
  }
  return answer;
}

async function saveTurn(conversation, turn, text, answer) {
  const write = `insert into messages (conversation, turn, role, content)
    values ($1, $2, 'user', $3), ($1, $2, 'assistant', $4) on conflict do nothing`;
  await pool.query(write, [conversation, turn, text, answer]);
}

const turnWith = (call, name) =>
  DBOS.registerWorkflow(
    async (conversation, turn, text) => {
      const answer = await DBOS.runStep(() => call(conversation, text), { name: call.name });
      await DBOS.runStep(() => saveTurn(conversation, turn, text, answer), { name: "saveTurn" });
      return answer;
    },
    { name },
  );
const sendTurn = turnWith(callModel, "sendTurn");
const streamTurn = turnWith(streamModel, "streamTurn");

const start = (workflow, conversation, turn, text) =>
  DBOS.startWorkflow(workflow, { workflowID: `${conversation}/${turn}` })(conversation, turn, text);

if (BENCH_FRESH === "1") await pool.query(TABLE);
DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, logLevel: "warn" });
await DBOS.launch();
mark("connected");

await serveAdapter(mark, {
  /** A conversation begins with its first message. */
  async open() {},
  async turn(conversation, turn, text) {
    return (await start(sendTurn, conversation, turn, text)).getResult();
  },
  async bytes(conversation) {
    const tables = ["dbos.workflow_status", "dbos.operation_outputs"];
    const sizes = tables.map((table) =>
      rowBytes(pool, table, "starts_with(workflow_uuid, $1)", `${conversation}/`),
    );
    sizes.push(rowBytes(pool, "public.messages", "conversation = $1", conversation));
    return { bytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) };
  },
  history: messagesOf,
  /** Launching has taken up what was under way. The default is to ask once a second. */
  async completed(conversation, turn) {
    return DBOS.retrieveWorkflow(`${conversation}/${turn}`).getResult({ pollingIntervalMs: 20 });
  },
  async firstToken(conversation, turn, text) {
    const { workflowID } = await start(streamTurn, conversation, turn, text);
    await DBOS.readStream(workflowID, "answer").next();
  },
  async stop() {
    await DBOS.shutdown();
    await pool.end();
  },
});

// What the two Temporal workflows without Holdfast share: client and worker in one process, as the samples have them, defaults everywhere.
// The caller waits in its update.
import { markStart, serveAdapter } from "./serve-adapter.mjs";
import { historySize } from "./temporal-history.mjs";

/** `activitiesOf` gets `{ client, callProvider }` and gives the worker's activities. */
export async function temporalAdapter(activitiesOf) {
  const mark = markStart();
  const [{ Client, Connection }, { NativeConnection, Worker, Runtime, DefaultLogger }, { default: OpenAI }] =
    await Promise.all([import("@temporalio/client"), import("@temporalio/worker"), import("openai")]);
  mark("imported");
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, BENCH_BUNDLE: codePath } = process.env;
  const { BENCH_PROVIDER_URL: baseURL, BENCH_API_KEY: apiKey, BENCH_MODEL: model } = process.env;
  Runtime.install({ logger: new DefaultLogger("WARN") });
  const openai = new OpenAI({ apiKey, baseURL });
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace });
  const native = await NativeConnection.connect({ address });
  mark("connected");
  const callProvider = async (messages) =>
    (await openai.chat.completions.create({ model, messages })).choices[0].message.content;
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue: "bench",
    workflowBundle: { codePath },
    activities: activitiesOf({ client, callProvider }),
  });
  const ended = worker.run();
  mark("worker");
  const handle = (conversation) => client.workflow.getHandle(conversation);
  await serveAdapter(mark, {
    async open(conversation) {
      await client.workflow.start("conversation", {
        taskQueue: "bench",
        workflowId: conversation,
        args: [conversation],
        workflowIdConflictPolicy: "USE_EXISTING",
      });
    },
    turn: (conversation, turn, text) =>
      handle(conversation).executeUpdate("sendTurn", { args: [text], updateId: turn }),
    bytes: (conversation) => historySize(client, conversation),
    history: (conversation) => handle(conversation).query("readMessages"),
    completed: (conversation, turn) => handle(conversation).getUpdateHandle(turn).result(),
    close: (conversation) => handle(conversation).terminate(),
    async stop() {
      worker.shutdown();
      await ended;
      await connection.close();
      await native.close();
    },
  });
}

// Temporal's plug-in for the AI SDK: `generateText` in the workflow, each call an activity of the plug-in. Client and worker in one process,
// the caller waits in its update, everything at its default. https://docs.temporal.io/develop/typescript/integrations/ai-sdk
import { markStart, serveAdapter } from "../../suite/serve-adapter.mjs";
import { historySize } from "../../suite/temporal-history.mjs";

const mark = markStart();
const [
  { Client, Connection },
  { NativeConnection, Worker, Runtime, DefaultLogger },
  plugin,
  streams,
  openai,
] = await Promise.all([
  import("@temporalio/client"),
  import("@temporalio/worker"),
  import("@temporalio/ai-sdk"),
  import("@temporalio/workflow-streams/client"),
  import("@ai-sdk/openai"),
]);
mark("imported");
const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, BENCH_BUNDLE: codePath } = process.env;
const { BENCH_PROVIDER_URL: baseURL, BENCH_API_KEY: apiKey, BENCH_MODEL: model } = process.env;
Runtime.install({ logger: new DefaultLogger("WARN") });
const connection = await Connection.connect({ address });
const client = new Client({ connection, namespace });
const native = await NativeConnection.connect({ address });
mark("connected");
/** Chat Completions, which all systems call; the provider's own default is Responses. */
const { chat } = openai.createOpenAI({ baseURL, apiKey });
const worker = await Worker.create({
  connection: native,
  namespace,
  taskQueue: "bench",
  workflowBundle: { codePath },
  plugins: [new plugin.AiSdkPlugin({ modelProvider: { languageModel: chat } })],
});
const ended = worker.run();
mark("worker");
const decoder = new TextDecoder();
const handle = (conversation) => client.workflow.getHandle(conversation);

await serveAdapter(mark, {
  async open(conversation) {
    await client.workflow.start("conversation", {
      taskQueue: "bench",
      workflowId: conversation,
      args: [model],
      workflowIdConflictPolicy: "USE_EXISTING",
    });
  },
  turn: (conversation, turn, text) =>
    handle(conversation).executeUpdate("sendTurn", { args: [text], updateId: turn }),
  bytes: (conversation) => historySize(client, conversation),
  history: (conversation) => handle(conversation).query("readMessages"),
  completed: (conversation, turn) => handle(conversation).getUpdateHandle(turn).result(),
  /** https://docs.temporal.io/develop/typescript/workflows/workflow-streams: the pieces reach the reader through the workflow. */
  async firstToken(conversation, turn, text) {
    const { startUpdate } = handle(conversation);
    await startUpdate("streamTurn", { args: [text, turn], updateId: turn, waitForStage: "ACCEPTED" });
    const stream = streams.WorkflowStreamClient.create(client, conversation);
    for await (const { data } of stream.topic(turn).subscribe(0))
      if (JSON.parse(decoder.decode(data)).type === "text-delta") return;
  },
  close: (conversation) => handle(conversation).terminate(),
  async stop() {
    worker.shutdown();
    await ended;
    await connection.close();
    await native.close();
  },
});

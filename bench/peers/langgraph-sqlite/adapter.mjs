// LangGraph with the checkpointer that its documentation has for local use: one file.
// https://docs.langchain.com/oss/javascript/langgraph/persistence#checkpointer-libraries
import { join } from "node:path";
import { langgraphSystem } from "../../suite/langgraph-system.mjs";
import { markStart, serveAdapter } from "../../suite/serve-adapter.mjs";

const mark = markStart();
const [langgraph, messages, { SqliteSaver }, { default: OpenAI }] = await Promise.all([
  import("@langchain/langgraph"),
  import("@langchain/core/messages"),
  import("@langchain/langgraph-checkpoint-sqlite"),
  import("openai"),
]);
mark("imported");
const { BENCH_FOLDER, BENCH_PROVIDER_URL: baseURL, BENCH_API_KEY: apiKey, BENCH_MODEL: model } = process.env;
const checkpointer = SqliteSaver.fromConnString(join(BENCH_FOLDER, "checkpoints.sqlite"));
checkpointer.setup();
mark("connected");

/** Bytes of the values in a thread's rows. */
const SIZE = `select
  (select coalesce(sum(length(thread_id) + length(checkpoint_id) + coalesce(length(parent_checkpoint_id), 0) + length(checkpoint)
    + length(metadata)), 0) from checkpoints where thread_id = ?)
  + (select coalesce(sum(length(thread_id) + length(checkpoint_id) + length(task_id) + length(channel) + length(value)), 0)
    from writes where thread_id = ?) as bytes`;

await serveAdapter(
  mark,
  langgraphSystem({
    langgraph,
    messages,
    openai: new OpenAI({ apiKey, baseURL }),
    model,
    checkpointer,
    bytes: async (conversation) => checkpointer.db.prepare(SIZE).get(conversation, conversation).bytes,
    stop: async () => checkpointer.db.close(),
  }),
);

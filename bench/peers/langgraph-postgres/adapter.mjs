// LangGraph with the checkpointer that its documentation has for production.
// https://docs.langchain.com/oss/javascript/langgraph/add-memory#use-in-production
import { langgraphSystem } from "../../suite/langgraph-system.mjs";
import { rowBytes } from "../../suite/row-bytes.mjs";
import { markStart, serveAdapter } from "../../suite/serve-adapter.mjs";

const mark = markStart();
const [langgraph, messages, { PostgresSaver }, { default: pg }, { default: OpenAI }] = await Promise.all([
  import("@langchain/langgraph"),
  import("@langchain/core/messages"),
  import("@langchain/langgraph-checkpoint-postgres"),
  import("pg"),
  import("openai"),
]);
mark("imported");
const { BENCH_FRESH, BENCH_PROVIDER_URL: baseURL, BENCH_API_KEY: apiKey, BENCH_MODEL: model } = process.env;
const pool = new pg.Pool({ connectionString: process.env.POSTGRESQL_URL });
const checkpointer = new PostgresSaver(pool);
if (BENCH_FRESH === "1") await checkpointer.setup();
else await pool.query("select 1");
mark("connected");

const TABLES = ["public.checkpoints", "public.checkpoint_blobs", "public.checkpoint_writes"];

await serveAdapter(
  mark,
  langgraphSystem({
    langgraph,
    messages,
    openai: new OpenAI({ apiKey, baseURL }),
    model,
    checkpointer,
    async bytes(conversation) {
      const sizes = TABLES.map((table) => rowBytes(pool, table, "thread_id = $1", conversation));
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    },
    stop: () => checkpointer.end(),
  }),
);

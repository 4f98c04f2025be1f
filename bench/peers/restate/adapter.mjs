// Restate, a virtual object for each conversation: its state is the array of messages, the call of the provider a journalled action. The
// service and its caller are in this process, the server beside it.
// https://docs.restate.dev/ai/patterns/sessions
import { markStart, serveAdapter } from "../../suite/serve-adapter.mjs";

const mark = markStart();
const [restate, clients, { default: OpenAI }] = await Promise.all([
  import("@restatedev/restate-sdk"),
  import("@restatedev/restate-sdk-clients"),
  import("openai"),
]);
mark("imported");
const { RESTATE_INGRESS, RESTATE_ADMIN, RESTATE_SERVICE_PORT, BENCH_FRESH } = process.env;
const { BENCH_PROVIDER_URL: baseURL, BENCH_API_KEY: apiKey, BENCH_MODEL: model } = process.env;
const openai = new OpenAI({ apiKey, baseURL });

async function callModel(messages) {
  const { choices } = await openai.chat.completions.create({ model, messages });
  return choices[0].message.content;
}

const chat = restate.object({
  name: "Chat",
  handlers: {
    message: async (context, text) => {
      const messages = (await context.get("messages")) ?? [];
      messages.push({ role: "user", content: text });
      const answer = await context.run("call model", () => callModel(messages));
      messages.push({ role: "assistant", content: answer });
      context.set("messages", messages);
      return answer;
    },
    history: restate.handlers.object.shared(async (context) => (await context.get("messages")) ?? []),
    clear: async (context) => context.clearAll(),
  },
});

const ingress = clients.connect({ url: RESTATE_INGRESS });
mark("connected");
await restate.serve({ services: [chat], port: Number(RESTATE_SERVICE_PORT) });
if (BENCH_FRESH === "1") await admin("/deployments", { uri: `http://127.0.0.1:${RESTATE_SERVICE_PORT}` });
mark("worker");

async function admin(path, body) {
  const response = await fetch(`${RESTATE_ADMIN}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function query(sql) {
  return (await admin("/query", { query: sql })).rows;
}

const object = (conversation) => ingress.objectClient({ name: "Chat" }, conversation);

await serveAdapter(mark, {
  /** An object is there with its first message. */
  async open() {},
  turn: (conversation, turn, text) =>
    object(conversation).message(text, clients.rpc.opts({ idempotencyKey: turn })),
  /** The state, and the journals of the turns, which are kept for a day as is the default; before RocksDB compresses them. */
  async bytes(conversation) {
    const target = `target_service_name = 'Chat' and target_service_key = '${conversation}'`;
    const [state] = await query(
      `select coalesce(sum(value_length), 0) as bytes from state where service_name = 'Chat' and service_key = '${conversation}'`,
    );
    const [journal] = await query(
      `select coalesce(sum(raw_length), 0) as bytes from sys_journal where id in (select id from sys_invocation where ${target})`,
    );
    return { bytes: state.bytes + journal.bytes };
  },
  history: (conversation) => object(conversation).history(),
  /** The server calls the service again as soon as it listens; this attaches to the call by its key.
   *  https://docs.restate.dev/services/invocation/http#attach-to-an-invocation */
  async completed(conversation, turn) {
    const path = `/restate/invocation/Chat/${conversation}/message/${turn}/attach`;
    const response = await fetch(`${RESTATE_INGRESS}${path}`);
    if (!response.ok) throw new Error(`attach: ${response.status} ${await response.text()}`);
    return response.json();
  },
  close: (conversation) => object(conversation).clear(),
});

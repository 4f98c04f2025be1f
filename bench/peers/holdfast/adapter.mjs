// Holdfast as users have it: a worker and a client of one server, frames in the process, everything at its default.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { markStart, serveAdapter } from "../../suite/serve-adapter.mjs";
import { historySize } from "../../suite/temporal-history.mjs";

const mark = markStart();
const [{ Agent, Conversations, InProcessHub }, { createWorker }] = await Promise.all([
  import("../../../dist/index.js"),
  import("../../../dist/worker/index.js"),
]);
mark("imported");
process.env.HOLDFAST_COMPATIBLE_BASE_URL = process.env.BENCH_PROVIDER_URL;
process.env.HOLDFAST_COMPATIBLE_API_KEY = process.env.BENCH_API_KEY;
const frames = new InProcessHub();
const conversations = await Conversations.connect({ frames });
mark("connected");
const worker = await createWorker({ frames });
const ended = worker.run();
mark("worker");
const agent = new Agent({ model: `compatible:${process.env.BENCH_MODEL}` });
const open = new Map();
const session = async (conversation) => {
  if (!open.has(conversation)) open.set(conversation, await conversations.open(conversation));
  return open.get(conversation);
};

await serveAdapter(mark, {
  async open(conversation) {
    // Where another process was before, as a service takes up a conversation that may be there.
    const ifExists = process.env.BENCH_FRESH === "1" ? "error" : "open";
    open.set(conversation, await conversations.start(agent, { id: conversation, ifExists }));
  },
  async turn(conversation, turnId, text) {
    return (await (await session(conversation)).run(text, { turnId })).output;
  },
  async bytes(conversation) {
    const { bytes, events } = await historySize(conversations.temporal, conversation);
    return { bytes: bytes + bytesUnder(conversations.settings.payloadStore), events, shared: true };
  },
  async history(conversation) {
    return (await session(conversation)).messages();
  },
  async completed(conversation, turnId) {
    return (await (await session(conversation)).turn(turnId).result()).output;
  },
  async firstToken(conversation, turnId, text) {
    const turn = await (await session(conversation)).submit(text, { turnId });
    for await (const frame of turn.stream()) if (frame.type === "text") return;
  },
  async close(conversation) {
    await (await session(conversation)).close();
  },
  async stop() {
    worker.shutdown();
    await ended;
    await conversations.close();
  },
});

function bytesUnder(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

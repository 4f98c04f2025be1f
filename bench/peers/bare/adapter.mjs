// The floor: what everybody pays. The array is the conversation, and goes with the process.
import { markStart, serveAdapter } from "../../suite/serve-adapter.mjs";

const mark = markStart();
const { default: OpenAI } = await import("openai");
mark("imported");
const { BENCH_PROVIDER_URL: baseURL, BENCH_API_KEY: apiKey, BENCH_MODEL: model } = process.env;
const openai = new OpenAI({ apiKey, baseURL });
const conversations = new Map();

await serveAdapter(mark, {
  async open(conversation) {
    conversations.set(conversation, []);
  },
  async turn(conversation, _turn, text) {
    const messages = conversations.get(conversation);
    messages.push({ role: "user", content: text });
    const { choices } = await openai.chat.completions.create({ model, messages });
    const { role, content } = choices[0].message;
    messages.push({ role, content });
    return content;
  },
  async bytes(conversation) {
    return { bytes: Buffer.byteLength(JSON.stringify(conversations.get(conversation))) };
  },
  async history(conversation) {
    return conversations.get(conversation);
  },
  async completed() {
    return null;
  },
  async firstToken(conversation, _turn, text) {
    const messages = [...conversations.get(conversation), { role: "user", content: text }];
    const stream = await openai.chat.completions.create({ model, messages, stream: true });
    for await (const { choices } of stream) if (choices[0]?.delta.content) return;
  },
  async close(conversation) {
    conversations.delete(conversation);
  },
});

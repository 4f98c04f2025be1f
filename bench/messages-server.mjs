// A thread that serves Anthropic's Messages: it keeps nothing of a request of any size, and its text is the time at which each
// piece was sent.
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const { pieces, gapMs } = workerData;
const usage = { input_tokens: 1, output_tokens: 1 };
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-haiku-4-5",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage,
};

const now = () => performance.timeOrigin + performance.now();

async function answer(response) {
  const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  send({ type: "message_start", message });
  send({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  for (let piece = 0; piece < pieces; piece++) {
    await delay(gapMs);
    send({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: `${now()} ` } });
  }
  send({ type: "content_block_stop", index: 0 });
  send({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage });
  send({ type: "message_stop" });
  response.end();
}

const server = createServer((request, response) => {
  request.resume().on("end", () => void answer(response));
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(`http://127.0.0.1:${server.address().port}`));

// For bench/event-loop.mjs: a thread that serves Anthropic's Messages, reads what it is sent and keeps nothing of it.
import { createServer } from "node:http";
import { parentPort } from "node:worker_threads";

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
const EVENTS = [
  { type: "message_start", message },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Payment." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
  { type: "message_stop" },
];

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of EVENTS) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(`http://127.0.0.1:${server.address().port}`));

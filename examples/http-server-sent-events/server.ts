// An HTTP back end that streams a conversation to a browser by server-sent events, without a framework.
// It holds no conversation: any number of such processes can serve any of them, and a restart loses nothing.
//
//   node examples/http-server-sent-events/server.ts        (PORT=8080)
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { Agent, Conversations, isHoldfastError } from "holdfast";

const agent = new Agent({ model: "claude-haiku-4-5", instructions: "You review contracts. Be brief." });
const page = await readFile(new URL("page.html", import.meta.url));
await using conversations = await Conversations.connect();

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => fail(response, error));
});
server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`http://127.0.0.1:${address?.port}`);
});
await new Promise((resolve) => process.once("SIGTERM", resolve).once("SIGINT", resolve));
server.close().closeAllConnections();

/** `POST /chat/ID` accepts a question and names its turn; `GET /chat/ID/TURN` streams that turn, also to a late reader. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, id, turnId] = /^\/chat\/([\w-]+)(?:\/([\w-]+))?$/.exec(request.url ?? "") ?? [];
  if (id === undefined) {
    response.writeHead(request.url === "/" ? 200 : 404, { "content-type": "text/html" }).end(page);
  } else if (turnId === undefined) {
    const { message } = (await json(request)) as { message: string };
    const session = await conversations.start(agent, { id, ifExists: "open" });
    const turn = await session.submit(message);
    response
      .writeHead(202, { "content-type": "application/json" })
      .end(JSON.stringify({ turn: turn.turnId }));
  } else {
    const session = await conversations.open(id);
    const gone = new AbortController(); // stops the reading, never the turn
    response.once("close", () => gone.abort());
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    for await (const frame of session.stream({ turnId, signal: gone.signal })) {
      response.write(`event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`);
    }
    response.end();
  }
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.end();
  const status = isHoldfastError(error) && error.exitCode === 1 ? 503 : 400;
  const text = error instanceof Error ? error.message : String(error);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error: text }));
}

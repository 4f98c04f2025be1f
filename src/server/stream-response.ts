/** What the stream hub answers where it refuses. */
import type { ServerResponse } from "node:http";

/** Ends the response with a status and one line as JSON; ends the connection where an answer has begun. */
export function refuse(response: ServerResponse, status: number, error: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { "content-type": "application/json" });
  response.end(`${JSON.stringify({ error })}\n`);
}

/** A worker's push: a batch of frames as NDJSON, taken whole or not at all. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { InProcessHub } from "../connection/frame-buffer.js";
import { parseFrame } from "../connection/parse-frame.js";
import type { Frame } from "../core/conversation/frame.js";
import { refuse } from "./stream-response.js";

const MOST_LEVELS = 1_000;
export const MOST_BATCH_BYTES: number = 4 * 1024 * 1024;

export async function receiveFrames(
  request: IncomingMessage,
  response: ServerResponse,
  hub: InProcessHub,
  conversationId: string,
): Promise<void> {
  const text = await readText(request);
  if (text === null) {
    response.setHeader("connection", "close");
    return refuse(response, 413, `A batch of frames is at most ${MOST_BATCH_BYTES} bytes`);
  }
  const frames = parseBatch(text);
  if (typeof frames === "string") return refuse(response, 400, frames);
  for (const frame of frames) hub.push(conversationId, frame);
  response.writeHead(204).end();
}

/** Null above the limit. */
async function readText(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop must not end the connection: the refusal still has to get through.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > MOST_BATCH_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The frames, or in one line what is wrong with which. */
function parseBatch(text: string): readonly Frame[] | string {
  const frames: Frame[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      assertShallow(line);
      frames.push(parseFrame(JSON.parse(line)));
    } catch (error) {
      return `Line ${index + 1}: ${(error as Error).message}`;
    }
  }
  return frames;
}

/** As deep as any answer of a model may be, and no deeper than every reader's stack takes. */
function assertShallow(line: string): void {
  if (line.length <= MOST_LEVELS) return;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at];
    if (inText && character === "\\") at++;
    else if (character === '"') inText = !inText;
    else if (!inText && (character === "[" || character === "{") && ++depth > MOST_LEVELS)
      throw new Error(`it is nested deeper than ${MOST_LEVELS} levels`);
    else if (!inText && (character === "]" || character === "}")) depth--;
  }
}

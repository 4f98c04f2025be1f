/** Reads a request's body, up to a size. */
import type { IncomingMessage } from "node:http";

/** Undefined when the body is longer than `maximumBytes`; what follows is read and thrown away. */
export async function readBody(request: IncomingMessage, maximumBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size <= maximumBytes) parts.push(part);
  }
  return size <= maximumBytes ? Buffer.concat(parts) : undefined;
}

/** The parsed JSON, or why it is none. */
export function parseJson(
  text: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

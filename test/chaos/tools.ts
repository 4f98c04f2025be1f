// The tools of chaos: each writes to a file when it begins and when it has done its work.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, type Tool, type ToolContext } from "holdfast/worker";
import { z } from "zod";

const input = z.object({ ms: z.number().default(0) });

/** `HOLDFAST_CHAOS_BREAK=tools` has every tool run twice, to show that this is seen. */
const runs = process.env.HOLDFAST_CHAOS_BREAK === "tools" ? 2 : 1;

async function work(tool: string, ms: number, { idempotencyKey: key }: ToolContext): Promise<string> {
  const note = (what: string): void =>
    appendFileSync("tools.log", `${JSON.stringify({ at: Date.now(), tool, key, what, pid: process.pid })}\n`);
  for (let run = 0; run < runs; run++) {
    note("begun");
    await sleep(ms);
    note("ended");
  }
  return `${tool} is done`;
}

const counting = (
  name: string,
  more: { readonly idempotent?: true; readonly needsApproval?: true } = {},
): Tool =>
  defineTool({
    name,
    description: "Takes a while.",
    input,
    ...more,
    execute: ({ ms }, context) => work(name, ms, context),
  });

/** `count` may not be repeated, `again` may, `pay` waits for approval. */
export const tools: readonly Tool[] = [
  counting("count"),
  counting("again", { idempotent: true }),
  counting("pay", { needsApproval: true }),
];

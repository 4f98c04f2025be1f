// The tools of worker processes in tests. What they do is written to files in the worker's folder, where a test reads it.
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, failTurn, type Tool } from "holdfast/worker";
import { z } from "zod";

/** One red pixel. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

const note = (line: string): void => appendFileSync("tools.log", `${line}\n`);

/** Waits until the file is there. */
async function gate(file: string, signal: AbortSignal): Promise<void> {
  while (!existsSync(file)) await sleep(20, undefined, { signal });
}

const add = defineTool({
  name: "add",
  description: "Adds two numbers.",
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }, { idempotencyKey, round, position }) => {
    note(`add ${round}.${position} ${idempotencyKey}`);
    return a + b;
  },
});

const weather = defineTool({
  name: "weather",
  description: "Tells the weather of a place.",
  input: z.object({ place: z.string() }),
  execute: ({ place }) => ({ place, celsius: 21, sky: "clear" }),
});

const picture = defineTool({
  name: "picture",
  description: "Draws a picture.",
  execute: () => ({
    text: "Here it is.",
    files: [{ name: "pixel.png", data: Buffer.from(PIXEL, "base64") }],
  }),
});

const gated = (name: string, idempotent: boolean): Tool =>
  defineTool({
    name,
    description: "Waits for a file.",
    input: z.object({ file: z.string().default("gate") }),
    idempotent,
    execute: async ({ file }, { signal, attempt }) => {
      note(`${name} started ${process.pid} ${attempt}`);
      signal.addEventListener("abort", () => note(`${name} aborted`));
      await gate(file, signal);
      note(`${name} ended`);
      return "waited";
    },
  });

const deaf = defineTool({
  name: "deaf",
  description: "Never ends.",
  timeout: 300,
  execute: () => new Promise(() => undefined),
});

const broken = defineTool({
  name: "broken",
  description: "Always fails.",
  execute: () => {
    throw new Error("The printer is out of paper.");
  },
});

const flaky = defineTool({
  name: "flaky",
  description: "Fails twice.",
  idempotent: true,
  retry: { maximumAttempts: 3, initialInterval: 10 },
  execute: (_args, { attempt, idempotencyKey }) => {
    note(`flaky ${attempt} ${idempotencyKey}`);
    if (attempt < 3) throw new Error("Not yet.");
    return "at last";
  },
});

const fatal = defineTool({
  name: "fatal",
  description: "Ends the turn.",
  execute: () => failTurn("The account is closed."),
});

const huge = defineTool({
  name: "huge",
  description: "Answers with much.",
  execute: () => "line of the report\n".repeat(60_000),
});

const look = defineTool({
  name: "look",
  description: "Looks something up at once.",
  input: z.object({ key: z.string() }),
  idempotent: true,
  local: true,
  execute: ({ key }) => `value of ${key}`,
});

const look_long = defineTool({
  name: "look_long",
  description: "Looks something long up at once.",
  idempotent: true,
  local: true,
  execute: () => "value ".repeat(17_000),
});

const ask_first = defineTool({
  name: "ask_first",
  description: "Looks something up once somebody has said so.",
  idempotent: true,
  local: true,
  needsApproval: true,
  execute: () => note("ask_first"),
});

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: z.object({ amount: z.number() }),
  needsApproval: ({ amount }) => amount > 10,
  execute: ({ amount }) => {
    note(`paid ${amount}`);
    return `paid ${amount}`;
  },
});

export const tools: readonly Tool[] = [
  pay,
  ask_first,
  add,
  weather,
  picture,
  gated("wait_once", false),
  gated("wait_again", true),
  deaf,
  broken,
  flaky,
  fatal,
  huge,
  look,
  look_long,
];

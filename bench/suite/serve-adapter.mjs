// The adapter's side of the line protocol (bench/README.md): reads requests on stdin, takes the times, answers on stdout.
// Imports nothing but node's own modules, so that a system's start is not made longer by the suite.
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { now } from "./clock.mjs";

/** Call it first of all: the marks of the start, by name, as times of the shared clock. */
export function markStart() {
  const marks = { started: now() };
  return Object.assign(
    (name) => {
      marks[name] = now();
    },
    { marks },
  );
}

/** Says that the system is ready and answers until it is told to stop. Never returns: the process ends. */
export async function serveAdapter(mark, system) {
  console.log = console.info = console.debug = console.error;
  const operations = operationsOf(system);
  say({ event: "ready", marks: mark.marks });
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, op, ...given } = JSON.parse(line);
    if (op === "stop") break;
    void answer(operations, op, given).then((result) => say({ id, ...result }));
  }
  await system.stop?.();
  process.exit(0);
}

function say(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function answer(operations, op, given) {
  try {
    const operation = operations[op];
    if (operation === undefined) throw new Error(`there is no operation ${op}`);
    return { ok: true, ...(await operation(given)) };
  } catch (error) {
    console.error(error);
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, error: message.split("\n")[0].slice(0, 300) };
  }
}

function operationsOf(system) {
  const timed = async (work) => {
    const began = now();
    const value = await work();
    return { began, ended: now(), value };
  };
  const oneAfterTheOther = async (conversation, from, texts, pauseMs = 0) => {
    const times = [];
    for (const [index, text] of texts.entries()) {
      if (pauseMs > 0) await delay(pauseMs);
      const { began, ended, value } = await timed(() => system.turn(conversation, `t-${from + index}`, text));
      if (typeof value !== "string" || value === "") throw new Error(`turn ${from + index} gave no text`);
      times.push([began, ended]);
    }
    return times;
  };
  return {
    open: ({ conversation }) => timed(() => system.open(conversation)),
    turns: async ({ conversation, from, texts, pauseMs }) => ({
      times: await oneAfterTheOther(conversation, from, texts, pauseMs),
    }),
    async crowd({ conversations, turns, text }) {
      const texts = Array.from({ length: turns }, () => text);
      const all = () => Promise.all(conversations.map((name) => oneAfterTheOther(name, 1, texts)));
      const { began, ended, value } = await timed(all);
      return { began, ended, times: value.flat() };
    },
    bytes: async ({ conversation }) => system.bytes(conversation),
    history: ({ conversation }) => timed(() => system.history(conversation)),
    completed: ({ conversation, turn }) => timed(() => system.completed(conversation, turn)),
    again: ({ conversation, turn, text }) =>
      timed(() => (system.again ?? system.turn)(conversation, turn, text)),
    "first-token": ({ conversation, turn, text }) =>
      timed(() => (system.firstToken ?? system.turn)(conversation, turn, text)),
    close: ({ conversation }) => timed(async () => system.close?.(conversation)),
    async memory() {
      for (let round = 0; round < 3; round++) {
        globalThis.gc?.();
        await delay(50);
      }
      const { rss, heapUsed } = process.memoryUsage();
      return { rss, heapUsed };
    },
  };
}

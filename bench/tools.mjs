/**
 * What a round of ten parallel tools costs beside a round of one, with tools that answer at once: from the model's answer that asks
 * for them to the next call of the model, as the provider sees it, and for the whole turn. Run with `npm run bench:tools`; `-- --turns 40
 * --calls 10` are the defaults; `--json FILE` writes the ratio.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Agent, Conversations } from "../dist/index.js";
import { createWorker, defineTool } from "../dist/worker/index.js";
import { startLocalStack } from "../src/server/local-stack.js";

const MOST_RATIO = 2;
const WARM_UP = 5;

const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "40" },
    calls: { type: "string", default: "10" },
    json: { type: "string" },
  },
});
const [turns, calls] = [values.turns, values.calls].map(Number);

const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-bench-")));
await using parts = new AsyncDisposableStack();
parts.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
const env = { PATH: process.env.PATH, HOME: process.env.HOME };
for (const name of ["HOLDFAST_TEMPORAL_CLI", "HOLDFAST_CACHE"])
  if (process.env[name] !== undefined) env[name] = process.env[name];
const stack = parts.use(await startLocalStack({ root: folder, env, simulate: { minimumReplyMs: 0 } }));
const now = defineTool({ name: "now", description: "Tells the time.", execute: () => Date.now() });
const worker = await createWorker({ cwd: folder, env: stack.workerEnv, tools: [now] });
const ended = worker.run();
parts.defer(async () => {
  worker.shutdown();
  await ended;
});
const conversations = parts.use(await Conversations.connect({ cwd: folder, env }));
const agent = new Agent({
  model: "claude-haiku-4-5",
  instructions: "Be brief.",
  tools: ["now"],
  sendWindow: { turns: 2 },
});
const session = await conversations.start(agent);

const counts = [1, calls];
const seen = new Map(counts.map((count) => [count, { rounds: [], turns: [] }]));
for (let turn = -WARM_UP; turn < turns; turn++) {
  for (const count of turn % 2 === 0 ? counts : counts.toReversed()) {
    const took = await measure(count);
    if (turn < 0) continue;
    seen.get(count).rounds.push(took.roundMs);
    seen.get(count).turns.push(took.turnMs);
  }
}
await session.close();

const [one, many] = counts.map((count) => seen.get(count));
console.log(`${turns} turns each, in turn about, one worker and the server on this machine:`);
const rounds = ratio("a round, from the answer to the next call", one.rounds, many.rounds);
ratio("a whole turn", one.turns, many.turns);
console.log(
  `  ${rounds <= MOST_RATIO ? "within" : "NOT within"} ${MOST_RATIO} times, by the median of the rounds`,
);
if (values.json !== undefined)
  writeFileSync(values.json, JSON.stringify({ rounds, callsMost: calls, mostRatio: MOST_RATIO }));
process.exitCode = rounds <= MOST_RATIO ? 0 : 1;

async function measure(count) {
  const { simulator } = stack;
  const toolCalls = Array.from({ length: count }, () => ({ name: "now", arguments: {} }));
  simulator.reset();
  simulator.script({ reply: { text: "One moment.", toolCalls } }, { reply: { text: "It is late." } });
  const started = performance.now();
  await session.run("What time is it?");
  const turnMs = performance.now() - started;
  const [first, second] = simulator.calls;
  return { turnMs, roundMs: second.receivedAt - first.endedAt };
}

function ratio(name, few, all) {
  const middle = (list) => list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) / 2)];
  const found = middle(all) / middle(few);
  const ms = (list) => `${Math.min(...list).toFixed(1)} / ${middle(list).toFixed(1)} ms`;
  console.log(
    `  ${name.padEnd(44)} one tool ${ms(few)}, ${calls} tools ${ms(all)} (minimum / median): ${found.toFixed(2)} times`,
  );
  return found;
}

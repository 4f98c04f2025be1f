/**
 * What a round of ten parallel tools costs beside a round of one, with tools that answer at once: from the model's answer that asks
 * for them to the next call of the model, as the provider sees it. Of tools that may be repeated, and of those that may not, of which each
 * is told to the server before it begins (decision 0035); beside them, on the same server, a bare Temporal workflow whose activities do
 * nothing, or beat once. Run with `npm run bench:tools`; `-- --turns 40 --calls 10` are the defaults; `--json FILE` writes the ratios.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Context } from "@temporalio/activity";
import { NativeConnection, Worker } from "@temporalio/worker";
import { Agent, Conversations } from "../dist/index.js";
import { createWorker, defineTool } from "../dist/worker/index.js";
import { startLocalStack } from "../src/server/local-stack.js";
import { buildBundle } from "./suite/build-bundle.mjs";

const MOST_RATIO = 2;
/** Of the ratio of a bare workflow whose activities beat once. */
const MOST_OF_BARE = 1.1;
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
const conversations = parts.use(await Conversations.connect({ cwd: folder, env }));

const KINDS = [
  { name: "tools that may be repeated", round: await conversation("read_clock") },
  { name: "tools that may not be repeated", round: await conversation("ring_bell") },
  ...(await bareWorkflow()),
];
const counts = [1, calls];
const rounds = KINDS.map(() => new Map(counts.map((count) => [count, []])));
for (let turn = -WARM_UP; turn < turns; turn++) {
  for (const count of turn % 2 === 0 ? counts : counts.toReversed()) {
    for (const [index, { round }] of KINDS.entries()) {
      const ms = await round(count);
      if (turn >= 0) rounds[index].get(count).push(ms);
    }
  }
}

console.log(
  `${turns} rounds each, in turn about, on one server on this machine, ms (minimum / median): one call, ${calls} calls`,
);
const [repeated, once, bare, bareBeating] = KINDS.map(({ name }, index) => ratio(name, rounds[index]));
const isWithin = repeated <= MOST_RATIO && once <= bareBeating * MOST_OF_BARE;
console.log(
  `  ${isWithin ? "within" : "NOT within"} ${MOST_RATIO} times, and ${MOST_OF_BARE} of the bare workflow's that beats`,
);
if (values.json !== undefined)
  writeFileSync(values.json, JSON.stringify({ repeated, once, bare, bareBeating, callsMost: calls }));
process.exitCode = isWithin ? 0 : 1;

/** A round of one conversation's turn, in ms. */
async function conversation(name) {
  const execute = () => Date.now();
  const tools = [
    defineTool({ name: "read_clock", description: "Tells the time.", idempotent: true, execute }),
    defineTool({ name: "ring_bell", description: "Rings a bell.", execute }),
  ];
  const taskQueue = `${name}-queue`;
  const place = { cwd: folder, taskQueue };
  const worker = await createWorker({ ...place, env: stack.workerEnv, tools });
  runs(worker);
  const client = parts.use(await Conversations.connect({ ...place, env }));
  const agent = new Agent({
    model: "claude-haiku-4-5",
    instructions: "Be brief.",
    tools: [name],
    sendWindow: { turns: 2 },
  });
  const session = await client.start(agent);
  const { simulator } = stack;
  return async (count) => {
    const toolCalls = Array.from({ length: count }, () => ({ name, arguments: {} }));
    simulator.reset();
    simulator.script({ reply: { text: "One moment.", toolCalls } }, { reply: { text: "It is late." } });
    await session.run("What time is it?");
    const [first, second] = simulator.calls;
    return second.receivedAt - first.endedAt;
  };
}

/** The two kinds of round of a workflow that has nothing else, as above; its worker takes as many calls at once as Holdfast's. */
async function bareWorkflow() {
  const { settings, temporal } = conversations;
  const connection = await NativeConnection.connect({ address: settings.connection.address });
  parts.defer(() => connection.close());
  const codePath = await buildBundle(join(import.meta.dirname, "tools-workflow.mjs"), folder);
  const activities = {
    mark: async () => performance.now(),
    async work(beats) {
      const { client, info } = Context.current();
      if (beats) await client.activity.heartbeat(info.taskToken, {});
    },
  };
  const worker = await Worker.create({
    connection,
    namespace: settings.namespace,
    taskQueue: "bare",
    maxEagerActivityReservationsPerWorkflowTask: calls,
    workflowBundle: { codePath },
    activities,
  });
  runs(worker);
  const handle = await temporal.workflow.start("rounds", { taskQueue: "bare", workflowId: "bare" });
  const rounds = (beats) => (count) => handle.executeUpdate("round", { args: [count, beats] });
  return [
    { name: "a bare workflow's activities", round: rounds(false) },
    { name: "the same, each beating once", round: rounds(true) },
  ];
}

function runs(worker) {
  const ended = worker.run();
  parts.defer(async () => {
    worker.shutdown();
    await ended;
  });
}

function ratio(name, byCount) {
  const middle = (list) => list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) / 2)];
  const [one, many] = counts.map((count) => byCount.get(count));
  const ms = (list) => `${Math.min(...list).toFixed(0)} / ${middle(list).toFixed(0)}`;
  const found = middle(many) / middle(one);
  console.log(
    `  ${name.padEnd(32)} ${ms(one).padStart(9)}  ${ms(many).padStart(9)}  ${found.toFixed(2)} times`,
  );
  return found;
}

// Runs the scenarios against the built package, on a server, with a simulator and a worker of their own.
import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { historyToJSON } from "@temporalio/common/lib/proto-utils.js";
import { Agent, Conversations } from "../../dist/index.js";
import { createWorker } from "../../dist/worker/index.js";
import { startLocalStack } from "../../src/server/local-stack.js";
import { runsOf } from "./continued.mjs";
import { CHECKPOINT, HAIKU, INSTRUCTIONS, scenarios } from "./scenarios.mjs";
import { tools } from "./tools.mjs";
import { withoutMachine } from "./without-machine.mjs";

/** The scenarios fail on purpose. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, log() {} };

/** Resolves to the histories as JSON texts by scenario, and the folder of the payloads that they may name. */
export async function recordScenarios(folder, only = Object.keys(scenarios)) {
  await using parts = new AsyncDisposableStack();
  mkdirSync(dirname(CHECKPOINT), { recursive: true });
  parts.defer(() => rmSync(dirname(CHECKPOINT), { recursive: true, force: true }));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  for (const name of ["HOLDFAST_TEMPORAL_CLI", "HOLDFAST_CACHE"])
    if (process.env[name] !== undefined) env[name] = process.env[name];
  const stack = parts.use(await startLocalStack({ root: folder, env, simulate: { minimumReplyMs: 0 } }));
  const worker = await createWorker({ cwd: folder, env: stack.workerEnv, logger: SILENT, tools });
  const ended = worker.run();
  parts.defer(async () => {
    worker.shutdown();
    await ended;
  });
  const conversations = parts.use(await Conversations.connect({ cwd: folder, env, logger: SILENT }));
  const histories = new Map();
  for (const name of only) {
    await scenarios[name](context(name, conversations, stack.simulator));
    const handle = conversations.temporal.workflow.getHandle(name);
    await handle.query("status");
    for (const [key, history] of await runsOf(conversations.temporal.workflow, name)) {
      const text = historyToJSON(history);
      histories.set(key, `${JSON.stringify(withoutMachine(JSON.parse(text)), null, 1)}\n`);
      console.log(`${key}: ${Math.round(text.length / 1024)} KiB`);
    }
    stack.simulator.reset();
  }
  return { histories, payloadStore: stack.settings.payloadStore };
}

/** What a scenario has to work with. Its conversation has its own name. */
function context(name, conversations, simulator) {
  const agent = (model, instructions = INSTRUCTIONS, names = []) =>
    new Agent({ model, instructions, tools: names });
  const { temporal } = conversations;
  return {
    simulator,
    agent,
    start: (model = HAIKU, options = {}) => conversations.start(agent(model), { id: name, ...options }),
    startWithTools: (names, model = HAIKU) =>
      conversations.start(agent(model, INSTRUCTIONS, names), { id: name }),
    startWithBudget: (names, budget) =>
      conversations.start(
        new Agent({
          model: HAIKU,
          instructions: INSTRUCTIONS,
          tools: names,
          budget,
          prices: { "claude-*": { input: 1, output: 5, cache_read: 0.1, cache_write: 1.25 } },
        }),
        { id: name },
      ),
    restore: (envelope, options = {}) => conversations.fromEnvelope(envelope, { id: name, ...options }),
    open: (id) => conversations.open(id),
    handle: () => temporal.workflow.getHandle(name),
    /** A signal whose argument says that it is JSON and is none. */
    signalRaw: (signalName) =>
      temporal.workflowService.signalWorkflowExecution({
        namespace: temporal.options.namespace,
        workflowExecution: { workflowId: name },
        signalName,
        input: {
          payloads: [
            { metadata: { encoding: Buffer.from("json/plain") }, data: Buffer.from('{"message": "cut o') },
          ],
        },
      }),
    eventually,
  };
}

async function eventually(holds) {
  for (let tries = 0; tries < 200; tries++) {
    if (await holds()) return;
    await sleep(50);
  }
  throw new Error("A scenario has waited 10 s for what did not come.");
}

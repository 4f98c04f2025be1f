/**
 * One conversation of very many turns on the embedded server, with the simulator: what it stores a turn, what lives in the heaps
 * of its worker, thread by thread, and how soon a new worker with nothing in its cache answers. Run with `npm run bench:long-life`;
 * `-- --turns 10000 --marks 100,1000,10000 --at-once 20 --words 150` are the defaults. The worker has what the image sets for
 * its memory, and the heap that Node takes under the compose file's limit; with `--plain` it has neither.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import pLimit from "p-limit";
import { Agent, Conversations } from "../dist/index.js";
import { startLocalStack } from "../src/server/local-stack.js";
import { containerHeap, imageEnvironment } from "./image-environment.mjs";

const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "10000" },
    marks: { type: "string", default: "100,1000,10000" },
    "at-once": { type: "string", default: "20" },
    words: { type: "string", default: "150" },
    plain: { type: "boolean", default: false },
  },
});
const turns = Number(values.turns);
const marks = new Set([...values.marks.split(",").map(Number), turns]);
/** After so long without work V8 has given back what it does not need. */
const SETTLED_MS = 15_000;
const KIB = 1024;
const MIB = 1024 * KIB;

const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-long-life-")));
await using parts = new AsyncDisposableStack();
parts.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
const env = { PATH: process.env.PATH, HOME: process.env.HOME };
for (const name of ["HOLDFAST_TEMPORAL_CLI", "HOLDFAST_CACHE"])
  if (process.env[name] !== undefined) env[name] = process.env[name];
const simulate = { minimumReplyMs: 0, contextTokens: Number.MAX_SAFE_INTEGER };
const stack = parts.use(await startLocalStack({ root: folder, env, simulate }));
let worker = await startWorker();
parts.defer(() => worker.kill("SIGKILL"));
const conversations = parts.use(await Conversations.connect({ cwd: folder, env }));
// What is sent is bounded, so that the turns cost the same from the first to the last.
const agent = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief.", sendWindow: { turns: 10 } });
const session = await conversations.start(agent, { id: "long-life" });
const answer = "word ".repeat(Number(values.words)).trim();
stack.simulator.script({ reply: { text: answer }, times: null });

const rows = [];
let done = 0;
let since = performance.now();
const atOnce = pLimit(Number(values["at-once"]));
for (const mark of [...marks].filter((at) => at <= turns).sort((one, other) => one - other)) {
  const from = done;
  await Promise.all(Array.from({ length: mark - from }, (_, index) => atOnce(() => turn(from + index))));
  await report(mark, (performance.now() - since) / (mark - from));
  since = performance.now();
}
console.log(`growth\n  ${rows.map(growthLine).join("\n  ")}`);
await session.close();

async function turn(index) {
  await session.run(`Question ${index}: and what then?`, { turnId: `turn-${index}` });
  done++;
  if (done % 500 === 0) stack.simulator.calls.length = 0;
}

async function report(mark, msEach) {
  const busy = await memoryOf(worker, "resident");
  await delay(SETTLED_MS);
  const settled = await memoryOf(worker, "resident");
  const payloads = bytesUnder(stack.settings.payloadStore);
  const database = readdirSync(join(folder, ".holdfast"))
    .filter((name) => /\.db|sqlite/.test(name))
    .reduce((sum, name) => sum + statSync(join(folder, ".holdfast", name)).size, 0);
  const started = performance.now();
  const envelope = await session.toEnvelope();
  const exportMs = performance.now() - started;
  const transcript = JSON.stringify(envelope).length;
  const histories = await historyBytes();
  const { isolates } = await memoryOf(worker, "heaps");
  const cold = await resumeCold(mark);
  if (envelope.metadata.run_count < mark)
    throw new Error(`Only ${envelope.metadata.run_count} turns are committed.`);
  const stored = (histories.bytes + payloads) / mark;
  const live = isolates.reduce((sum, isolate) => sum + isolate.live, 0);
  rows.push({ mark, stored, live, busy: busy.rss, settled: settled.rss, cold });
  console.log(
    [
      `${mark} turns, ${Math.round(msEach)} ms each, load ${loadavg()[0].toFixed(1)}`,
      `runs ${histories.runs}, the longest of ${histories.longest} events`,
      `transcript ${mebibytes(transcript)}, ${(transcript / mark / KIB).toFixed(2)} KiB a turn`,
      `histories and payloads ${(stored / KIB).toFixed(2)} KiB a turn (histories ${mebibytes(histories.bytes)}, payloads ${mebibytes(payloads)}), database file ${(database / mark / KIB).toFixed(1)} KiB a turn`,
      `export ${Math.round(exportMs)} ms`,
      `worker: ${mebibytes(live)} live in ${isolates.length} heaps`,
      `  at work ${resident(busy)}`,
      `  after ${SETTLED_MS / 1000} s without work ${resident(settled)}`,
      ...isolates.map((one) => `  ${one.name}: ${mebibytes(one.live)} live after a collection`),
      `cold: status after ${cold.status} ms, old turn after ${cold.old} ms; a turn in ${cold.turn} ms`,
    ].join("\n  "),
  );
}

/** Heaps as they are with their garbage; buffers lie beside them, and the rest is code, stacks, the core and the allocator. */
function resident({ rss, heaps, buffers }) {
  return `${mebibytes(rss)} resident: heaps ${mebibytes(heaps)}, buffers ${mebibytes(buffers)}, the rest ${mebibytes(rss - heaps - buffers)}`;
}

function growthLine({ mark, stored, live, busy, settled, cold }) {
  return `${String(mark).padStart(6)} turns: ${(stored / KIB).toFixed(2)} KiB stored a turn, ${mebibytes(live)} live, ${mebibytes(busy)} resident at work, ${mebibytes(settled)} settled, cold status ${cold.status} ms, cold turn ${cold.turn} ms`;
}

function mebibytes(bytes) {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}

/** What a new worker that has nothing needs for a status and for a turn of long ago, and another new one for a turn: from when it is ready. */
async function resumeCold(mark) {
  await startAnew();
  const started = performance.now();
  await session.status();
  const status = performance.now() - started;
  await session.turn("turn-0").view();
  const old = performance.now() - started - status;
  await startAnew();
  const before = performance.now();
  await session.run("And after that?", { turnId: `cold-${mark}` });
  return { status: Math.round(status), old: Math.round(old), turn: Math.round(performance.now() - before) };
}

/** Once nothing of the conversation is under way: a workflow task that dies with its worker is waited for. */
async function startAnew() {
  await session.status();
  worker.send("end");
  await once(worker, "exit");
  worker = await startWorker();
}

async function historyBytes() {
  const { temporal, settings } = conversations;
  let runs = 0;
  let bytes = 0;
  let longest = 0;
  for (let runId; runId !== ""; runs++) {
    const execution = { workflowId: session.id, ...(runId === undefined ? {} : { runId }) };
    const { workflowExecutionInfo: info } = await temporal.workflowService.describeWorkflowExecution({
      namespace: settings.namespace,
      execution,
    });
    const { history } = await temporal.workflowService.getWorkflowExecutionHistory({
      namespace: settings.namespace,
      execution: info.execution,
      maximumPageSize: 1,
    });
    bytes += Number(info.historySizeBytes);
    longest = Math.max(longest, Number(info.historyLength));
    runId = history.events[0].workflowExecutionStartedEventAttributes.continuedExecutionRunId;
  }
  return { runs, bytes, longest };
}

async function startWorker() {
  const child = fork(join(import.meta.dirname, "long-life-worker.mjs"), {
    cwd: folder,
    env: { ...stack.workerEnv, ...(values.plain ? {} : imageEnvironment()) },
    execArgv: ["--expose-gc", ...(values.plain ? [] : [containerHeap()])],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  await once(child, "message");
  return child;
}

async function memoryOf(child, asked) {
  child.send(asked);
  const [answer] = await once(child, "message");
  return answer;
}

function bytesUnder(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

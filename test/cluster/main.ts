// Chaos on a cluster: two nodes over PostgreSQL, two workers that see nothing of each other, `npm run test:cluster -- --help`.
import "../setup/isolate-environment.js";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Round, reportLines, reportOf } from "../chaos/report.js";
import { round } from "../chaos/round.js";
import { runSeed } from "../chaos/run-seed.js";
import { World } from "../chaos/world.js";
import { Cluster } from "./cluster.js";
import { clusterSchedule } from "./cluster-schedule.js";
import { ClusterServer } from "./cluster-server.js";
import { startClusterStack } from "./cluster-stack.js";
import { type ClusterTools, findClusterTools, MissingToolError } from "./cluster-tools.js";

const HELP = `npm run test:cluster -- [options]

  --seed N    the first seed; default 1
  --seeds N   how many, each on a cluster of its own, one after the other; default 2
  --json      the report as JSON on stdout

Needs PostgreSQL's programs, and Temporal's server, which is built once where Go 1.26 is here.
Exit code 0: nothing was violated; 1: something was, and the folder with the evidence is printed; 2: a tool is missing.`;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

try {
  if (values.help) console.log(HELP);
  else process.exitCode = await testCluster(await findClusterTools(process.env, say));
} catch (error) {
  if (!(error instanceof MissingToolError)) throw error;
  say(error.message);
  process.exitCode = 2;
}

async function testCluster(tools: ClusterTools): Promise<number> {
  const began = performance.now();
  const rounds: (Round | undefined)[] = [];
  for (let seed = Number(values.seed); rounds.length < Number(values.seeds); seed++) {
    const open = (): Promise<World> => openWorld(tools);
    rounds.push(await round(open, `seed ${seed}`, (world) => runSeed(world, clusterSchedule(seed))));
  }
  const ended = rounds.filter((one) => one !== undefined);
  const report = reportOf(ended, rounds.length, (performance.now() - began) / 1_000);
  console.log(values.json ? JSON.stringify(report, null, 2) : reportLines(report).join("\n"));
  return report.violations === 0 && ended.length === rounds.length ? 0 : 1;
}

async function openWorld(tools: ClusterTools): Promise<World> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-cluster-")));
  // PostgreSQL may run as another user than this.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, "cluster"));
  const cluster = await Cluster.start(tools, join(folder, "cluster"));
  const stack = await startClusterStack(cluster, folder);
  return World.over(stack, new ClusterServer(cluster, folder, stack));
}

function say(line: string): void {
  console.error(`cluster: ${line}`);
}

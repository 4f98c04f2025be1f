// Runs seeds of chaos, one world each, and then the systematic cases: `npm run test:chaos -- --help`.
import "../setup/isolate-environment.js";
import { inspect } from "node:util";
import { keepEvidence } from "./evidence.js";
import { violationsOf } from "./invariants.js";
import { damagedJournal, restoredJournal, stoppedWorker } from "./journal-cases.js";
import type { Observation, Violation } from "./observation.js";
import { type ChaosOptions, chaosOptions, HELP } from "./options.js";
import { killAtPoints } from "./point-cases.js";
import { DRAINED } from "./recovery-times.js";
import { type Round, reportLines, reportOf } from "./report.js";
import { runSeed, type SeedResult } from "./run-seed.js";
import { scheduleOf } from "./schedule.js";
import type { CaseResult } from "./stage.js";
import { World } from "./world.js";

type Run = (world: World) => Promise<SeedResult & Partial<CaseResult>>;

const CASES: readonly Run[] = [killAtPoints, stoppedWorker, restoredJournal, damagedJournal];

try {
  const options = chaosOptions(process.argv.slice(2));
  if (options === undefined) console.log(HELP);
  else process.exitCode = await chaos(options);
} catch (error) {
  console.error(`chaos: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}

async function chaos(options: ChaosOptions): Promise<number> {
  const began = performance.now();
  const rounds: (Round | undefined)[] = [];
  let seeds = 0;
  while (seeds < options.seeds && performance.now() - began < options.minutes * 60_000) {
    const seed = options.seed + seeds++;
    rounds.push(await round(options, `seed ${seed}`, (world) => runSeed(world, scheduleOf(seed))));
  }
  if (options.cases) for (const run of CASES) rounds.push(await round(options, run.name, run));
  const ended = rounds.filter((one) => one !== undefined);
  const report = reportOf(ended, seeds, (performance.now() - began) / 1_000);
  if (options.json) console.log(JSON.stringify(report, null, 2));
  else for (const line of reportLines(report)) console.log(line);
  return report.violations === 0 && ended.length === rounds.length ? 0 : 1;
}

/** Nothing is left behind by a Ctrl-C. */
function endOnSignals(world: World): Disposable {
  const end = (): void => void world[Symbol.asyncDispose]().finally(() => process.exit(130));
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, end);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, end);
    },
  };
}

/** Progress goes to stderr, so that stdout holds the report alone. */
async function round({ broken }: ChaosOptions, name: string, run: Run): Promise<Round | undefined> {
  await using world = await World.open(broken);
  using _ends = endOnSignals(world);
  try {
    const { observation, histories, unexpected = [] } = await run(world);
    const violations = [...violationsOf(observation), ...unexpected];
    tell(observation, violations);
    if (violations.length > 0) keepEvidence(world, violations, { observation, histories });
    return { observation, violations };
  } catch (error) {
    // What the driver itself met is a violation as well.
    const text = inspect(error, { depth: 4 });
    console.error(`${name} did not come to its end: ${text}`);
    keepEvidence(world, [{ invariant: "driver", conversation: "", text }]);
    return undefined;
  }
}

function tell(
  { name, workers, outages, conversations, tookMs }: Observation,
  found: readonly Violation[],
): void {
  const turns = conversations.reduce((sum, { messages }) => sum + messages.length, 0);
  const kills = workers.filter(({ killed }) => killed !== undefined && killed.why !== DRAINED).length;
  const parts = [
    `${Math.round(tookMs / 1_000)} s`,
    `${turns} turns`,
    `${kills} kills`,
    `${outages.length} of the server`,
    `${found.length} violations`,
  ];
  console.error(`${name}: ${parts.join(", ")}`);
  for (const { invariant, conversation, text } of found)
    console.error(`  ${invariant}${conversation === "" ? "" : `, ${conversation}`}: ${text}`);
}

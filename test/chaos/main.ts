// Runs seeds of chaos, one world each, and then the systematic cases: `npm run test:chaos -- --help`.
import "../setup/isolate-environment.js";
import { damagedJournal, restoredJournal, stoppedWorker } from "./journal-cases.js";
import { type ChaosOptions, chaosOptions, HELP } from "./options.js";
import { killAtPoints } from "./point-cases.js";
import { type Round, reportLines, reportOf } from "./report.js";
import { type Run, round } from "./round.js";
import { runSeed } from "./run-seed.js";
import { scheduleOf } from "./schedule.js";
import { World } from "./world.js";

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
  const open = (): Promise<World> => World.open(options.broken);
  let seeds = 0;
  while (seeds < options.seeds && performance.now() - began < options.minutes * 60_000) {
    const seed = options.seed + seeds++;
    rounds.push(await round(open, `seed ${seed}`, (world) => runSeed(world, scheduleOf(seed))));
  }
  if (options.cases) for (const run of CASES) rounds.push(await round(open, run.name, run));
  const ended = rounds.filter((one) => one !== undefined);
  const report = reportOf(ended, seeds, (performance.now() - began) / 1_000);
  if (options.json) console.log(JSON.stringify(report, null, 2));
  else for (const line of reportLines(report)) console.log(line);
  return report.violations === 0 && ended.length === rounds.length ? 0 : 1;
}

/** One seed or case in a world of its own: run, judged, told of; what went wrong is kept. */
import { inspect } from "node:util";
import { keepEvidence } from "./evidence.js";
import { violationsOf } from "./invariants.js";
import type { Observation, Violation } from "./observation.js";
import { DRAINED, recoveriesOf } from "./recovery-times.js";
import type { Round } from "./report.js";
import type { SeedResult } from "./run-seed.js";
import type { CaseResult } from "./stage.js";
import type { World } from "./world.js";

/** No violation, but worth a look. */
const SLOW_MS = 10_000;

export type Run = (world: World) => Promise<SeedResult & Partial<CaseResult>>;

/** Undefined where it did not come to its end. Progress goes to stderr, so that stdout holds the report alone. */
export async function round(open: () => Promise<World>, name: string, run: Run): Promise<Round | undefined> {
  await using world = await open();
  using _ends = endOnSignals(world);
  try {
    const { observation, histories, unexpected = [] } = await run(world);
    const violations = [...violationsOf(observation), ...unexpected];
    tell(observation, violations);
    const slow = recoveriesOf(observation).filter(({ way, ms }) => way !== "disturbed" && ms > SLOW_MS);
    for (const { way, why, conversation, ms } of slow)
      console.error(`  slow: ${conversation} was called again ${ms} ms after a kill ${why} (${way})`);
    if (violations.length > 0 || slow.length > 0) keepEvidence(world, violations, { observation, histories });
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

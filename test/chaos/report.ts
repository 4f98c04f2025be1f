/** The sums of a run of chaos, and its table. */
import { INVARIANTS } from "./invariants.js";
import type { Observation, Violation } from "./observation.js";
import { type Excuse, repeatedCalls } from "./paid-calls.js";
import { DRAINED, type Recovery, type RecoveryWay, recoveriesOf } from "./recovery-times.js";

export interface Round {
  readonly observation: Observation;
  readonly violations: readonly Violation[];
}

export interface Spread {
  readonly count: number;
  readonly minimum: number;
  readonly median: number;
  readonly maximum: number;
}

export interface ChaosReport {
  readonly seeds: number;
  readonly cases: number;
  readonly seconds: number;
  readonly kills: number;
  readonly kills_by_place: Readonly<Record<string, number>>;
  readonly freezes: number;
  readonly server_restarts: number;
  readonly conversations: number;
  readonly runs: number;
  readonly turns: Readonly<Record<string, number>>;
  readonly calls: number;
  /** Calls made again for an answer that had been asked for before, by the reason. */
  readonly repeated_calls: Readonly<Record<string, number>>;
  readonly tool_runs: number;
  readonly exports: number;
  readonly checkpoints: number;
  /** Milliseconds to the next call, by what there was to make it. */
  readonly recovery_ms: Readonly<Record<string, Spread>>;
  readonly violations: number;
  readonly violations_by_invariant: Readonly<Record<string, number>>;
}

export function reportOf(rounds: readonly Round[], seeds: number, seconds: number): ChaosReport {
  const seen = rounds.map(({ observation }) => observation);
  const conversations = seen.flatMap((one) => one.conversations);
  const workers = seen.flatMap((one) => one.workers);
  const killed = workers.flatMap(({ killed: end }) =>
    end === undefined || end.why === DRAINED ? [] : [end.why],
  );
  const violations = rounds.flatMap((round) => round.violations);
  const byInvariant = Object.keys(INVARIANTS).map((name) => [
    name,
    violations.filter(({ invariant }) => invariant === name).length,
  ]);
  const sum = (value: (one: (typeof conversations)[number]) => number): number =>
    conversations.reduce((total, one) => total + value(one), 0);
  return {
    seeds,
    cases: rounds.length - seeds,
    seconds: Math.round(seconds),
    kills: killed.length,
    kills_by_place: countsOf(killed),
    freezes: workers.reduce((total, { stopped }) => total + stopped.length, 0),
    server_restarts: seen.reduce((total, { outages }) => total + outages.length, 0),
    conversations: conversations.length,
    runs: sum(({ runs }) => runs),
    turns: countsOf(conversations.flatMap(({ views }) => [...views.values()].map(({ state }) => state))),
    calls: seen.reduce((total, { calls }) => total + calls.length, 0),
    repeated_calls: countsOf(
      seen.flatMap(repeatedCalls).map(({ excuse }): Excuse | "none" => excuse ?? "none"),
    ),
    tool_runs: seen.reduce(
      (total, { tools }) => total + tools.filter(({ what }) => what === "begun").length,
      0,
    ),
    exports: sum(({ exports }) => exports),
    checkpoints: sum(({ checkpoints }) => checkpoints),
    recovery_ms: recoveryOf(seen.flatMap(recoveriesOf)),
    violations: violations.length,
    violations_by_invariant: Object.fromEntries(byInvariant),
  };
}

function countsOf(words: readonly string[]): Readonly<Record<string, number>> {
  const sorted = [...Map.groupBy(words, (word) => word)].map(([word, { length }]) => [word, length] as const);
  return Object.fromEntries(sorted.sort(([one], [other]) => one.localeCompare(other)));
}

const WAYS: readonly RecoveryWay[] = ["sibling", "elsewhere", "start", "unjournaled", "disturbed"];

function recoveryOf(all: readonly Recovery[]): Readonly<Record<string, Spread>> {
  const rows = WAYS.flatMap((way) => {
    const of = all.filter((recovery) => recovery.way === way);
    const times: [string, readonly number[]][] = [[way, of.map(({ ms }) => ms)]];
    if (way === "start")
      times.push(["start, from its process", of.map(({ fromSpawnMs = 0 }) => fromSpawnMs)]);
    return times;
  });
  return Object.fromEntries(
    rows.flatMap(([name, times]) => (times.length === 0 ? [] : [[name, spreadOf(times)]])),
  );
}

export function spreadOf(times: readonly number[]): Spread {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (place: number): number => sorted[place] ?? 0;
  return {
    count: sorted.length,
    minimum: at(0),
    median: at(Math.floor((sorted.length - 1) / 2)),
    maximum: at(sorted.length - 1),
  };
}

const WORDS: Readonly<Record<string, string>> = {
  sibling: "a sibling of the same host",
  elsewhere: "a worker of another host (target 6500)",
  start: "a worker that starts on the host, from ready (target 2000)",
  "start, from its process": "the same, from the start of its process",
  unjournaled: "without a journal, by the missed heartbeat",
  disturbed: "server or other workers away as well",
};

export function reportLines(report: ChaosReport): readonly string[] {
  const pairs = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ") || "none";
  const row = (name: string, value: string | number): string => `  ${name.padEnd(22)} ${value}`;
  const recovery = Object.entries(report.recovery_ms).map(
    ([name, { count, minimum, median, maximum }]) =>
      `  ${(WORDS[name] ?? name).padEnd(60)} ${[count, minimum, median, maximum].map((value) => String(value).padStart(7)).join("")}`,
  );
  return [
    row("seeds, cases", `${report.seeds}, ${report.cases} in ${report.seconds} s`),
    row("kills of workers", `${report.kills} (${pairs(report.kills_by_place)})`),
    row("stood still (SIGSTOP)", report.freezes),
    row("kills of the server", report.server_restarts),
    row("conversations", `${report.conversations} in ${report.runs} runs`),
    row("turns", pairs(report.turns)),
    row("calls to models", `${report.calls}, made again: ${pairs(report.repeated_calls)}`),
    row("runs of tools", report.tool_runs),
    row("exports looked at", `${report.exports}, checkpoint files ${report.checkpoints}`),
    `  ${"ms from a kill to the next call of the turn".padEnd(60)}   count    min median    max`,
    ...recovery,
    row("violations", `${report.violations} (${pairs(report.violations_by_invariant)})`),
  ];
}

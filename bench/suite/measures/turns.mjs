// What a turn costs over the bare SDK at several lengths of the conversation, how long until the provider sees the call, and what is
// stored. One conversation a system for the long ones, grown from mark to mark; the short one is new in each round. Turns come after
// a pause, as those of people and of tools do, and then one upon the other, where what a system does after an answer delays the next turn.
import { median, quantile, summary } from "../statistics.mjs";

const LONG = "long";
const PAUSE_MS = 100;

export async function turns(bench) {
  const { lengths, rounds, window, warmUp, seedSeconds } = bench.options;
  let live = await bench.live("turns");
  bench.say("turns: warm-up");
  live = await bench.interleave("turns", live, 1, async (system) => {
    await system.open("warm-up");
    await system.turns("warm-up", warmUp);
  });
  live = await bench.interleave("turns", live, 1, async (system) => {
    await system.open(LONG);
    await storedBytes(bench, system, 0);
  });
  const samples = new Map();
  const marks = lengths.toSorted((one, other) => one - other);
  for (const length of marks) {
    live = await bench.interleave("bytes", live, 1, async (system) => {
      await system.seedTo(LONG, length, seedSeconds);
      await storedBytes(bench, system, length);
    });
    bench.say(`turns: at ${length}, ${rounds} × ${window}`);
    live = await bench.interleave("turns", live, rounds, async (system, round) => {
      const isShort = length === marks[0];
      const conversation = isShort ? `short-${round}` : LONG;
      const count = isShort ? window / 2 : window;
      if (isShort) {
        await system.open(conversation);
        await system.seedTo(conversation, Math.max(1, length - count / 2), seedSeconds);
      }
      const most = system.peer.longest?.turns ?? Number.POSITIVE_INFINITY;
      if (system.turnsOf(conversation) + 2 * count > most) return;
      for (const pauseMs of [PAUSE_MS, 0]) {
        bench.provider.forget();
        const times = await system.turns(conversation, count, pauseMs);
        keep(samples, `${length} ${pauseMs}`, system.name, times, bench.provider.seen);
      }
    });
    for (const { name } of live) {
      const closely = figures(samples, `${length} 0`, name);
      const figuresHere = { ...figures(samples, `${length} ${PAUSE_MS}`, name), closely };
      bench.record("turns", name, { [length]: figuresHere });
    }
  }
}

async function storedBytes(bench, system, length) {
  const { bytes, shared = false, events } = await system.ask("bytes", { conversation: LONG });
  const before = shared && length > 0 ? bench.results.bytes[system.name].before : 0;
  const at = length === 0 ? { before: bytes } : { [length]: bytes - before };
  bench.record("bytes", system.name, {
    ...at,
    ...(events === undefined ? {} : { [`events${length}`]: events }),
  });
}

/** `seen` has one time for each turn where a call is made once. */
function keep(samples, window, name, times, seen) {
  const bySystem = samples.get(window) ?? new Map();
  samples.set(window, bySystem);
  const rounds = bySystem.get(name) ?? [];
  bySystem.set(name, rounds);
  rounds.push({
    whole: times.map(([began, ended]) => ended - began),
    until: times.map(([began, ended]) => seen.find((at) => at >= began && at <= ended) - began),
  });
}

function figures(samples, length, name) {
  const of = (system, key) =>
    samples
      .get(length)
      .get(system)
      ?.map((round) => round[key]) ?? [];
  const over = (key) => {
    const [own, floor] = [of(name, key), of("bare", key)];
    const [all, bare] = [own.flat(), floor.flat()];
    const medians = own.map((round, index) => median(round) - median(floor[index] ?? bare));
    const digits = (value) => Number(value.toFixed(2));
    return {
      min: digits(Math.min(...medians)),
      p50: digits(median(all) - median(bare)),
      p95: digits(quantile(all, 0.95) - quantile(bare, 0.95)),
    };
  };
  return {
    turn: summary(of(name, "whole").flat()),
    overhead: over("whole"),
    untilSeen: summary(of(name, "until").flat()),
    untilSeenOverhead: over("until"),
  };
}

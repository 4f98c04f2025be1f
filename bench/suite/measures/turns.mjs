// What a turn costs over the bare SDK at several lengths of the conversation, how long until the provider sees the call, and what is
// stored. One conversation a system for the long ones, grown from mark to mark; the short one is new in each round.
import { median, quantile, summary } from "../statistics.mjs";

const LONG = "long";

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
      const conversation = length === marks[0] ? `short-${round}` : LONG;
      if (conversation !== LONG) {
        await system.open(conversation);
        await system.seedTo(conversation, length - window / 2, seedSeconds);
      }
      if (system.turnsOf(conversation) + window > (system.peer.longest?.turns ?? Number.POSITIVE_INFINITY))
        return;
      bench.provider.forget();
      const times = await system.turns(conversation, window);
      keep(samples, length, system.name, times, bench.provider.seen);
    });
    for (const { name } of live) bench.record("turns", name, { [length]: figures(samples, length, name) });
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
function keep(samples, length, name, times, seen) {
  const bySystem = samples.get(length) ?? new Map();
  samples.set(length, bySystem);
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

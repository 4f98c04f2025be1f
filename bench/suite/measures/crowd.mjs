// Turns a second with many conversations side by side, and what an open conversation holds in the worker's memory.
import { messageOf } from "../provider.mjs";
import { quantile, summary } from "../statistics.mjs";

export async function crowd(bench) {
  const { crowdRounds, conversations, crowdTurns } = bench.options;
  let live = await bench.live("crowd");
  const samples = new Map(live.map(({ name }) => [name, { rates: [], times: [], memory: [] }]));
  bench.say(`crowd: ${crowdRounds} × ${conversations} conversations of ${crowdTurns} turns`);
  live = await bench.interleave("crowd", live, crowdRounds + 1, async (system, round) => {
    const names = Array.from({ length: conversations }, (_, index) => `crowd-${round}-${index}`);
    for (const name of names) await system.open(name);
    const text = messageOf(`crowd-${round}`, 1);
    const { began, ended, times } = await system.ask("crowd", {
      conversations: names,
      turns: crowdTurns,
      text,
    });
    const kept = samples.get(system.name);
    kept.memory.push(await system.ask("memory"));
    if (round === 0) return;
    kept.rates.push((conversations * crowdTurns * 1_000) / (ended - began));
    kept.times.push(...times.map(([from, to]) => to - from));
    bench.provider.forget();
  });
  for (const { name } of live) {
    const { rates, times, memory } = samples.get(name);
    const each = (key) => (memory.at(-1)[key] - memory[0][key]) / ((memory.length - 1) * conversations);
    bench.record("crowd", name, {
      turnsPerSecond: { ...summary(rates, 1), max: Number(Math.max(...rates).toFixed(1)) },
      turn: { p50: Number(quantile(times, 0.5).toFixed(1)), p95: Number(quantile(times, 0.95).toFixed(1)) },
      memory: {
        heapBytesEach: Math.round(each("heapUsed")),
        residentBytesEach: Math.round(each("rss")),
        residentBytes: memory.at(-1).rss,
      },
    });
  }
  await bench.end("crowd");
}

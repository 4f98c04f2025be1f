// A fresh process takes up a conversation: from its start until the next turn is answered, and where the time goes. The process before
// it has ended in good order.
import { summary } from "../statistics.mjs";

export async function resume(bench) {
  const { resumeLengths, resumeRounds, seedSeconds } = bench.options;
  let live = (await bench.live("turns")).filter(({ name }) => name !== "bare");
  for (const length of resumeLengths) {
    bench.say(`resume: at ${length}`);
    const conversation = `resume-${length}`;
    const reached = await bench.interleave(`resume${length}`, live, 1, async (system) => {
      await system.open(conversation);
      await system.seedTo(conversation, length, seedSeconds);
    });
    await measure(bench, reached, conversation, `resume${length}`);
    await sameEvents(bench, live, conversation, length, { resumeRounds, seedSeconds });
    live = reached;
  }
}

/** The minimal Temporal workflow with as many events as Holdfast has to replay there. */
async function sameEvents(bench, live, conversation, length, { seedSeconds }) {
  const [ours, minimal] = ["holdfast", "temporal-minimal"].map((name) =>
    live.find((one) => one.name === name),
  );
  if (ours === undefined || minimal === undefined) return;
  const { events } = await ours.ask("bytes", { conversation });
  const same = `${conversation}-events`;
  const measured = `resume${length}SameEvents`;
  await bench.interleave(measured, [minimal], 1, async () => {
    await minimal.open(same);
    for (let has = 0; has < events; ) {
      const each = has === 0 ? 10 : has / minimal.turnsOf(same);
      await minimal.seedTo(
        same,
        minimal.turnsOf(same) + Math.max(1, Math.ceil((events - has) / each)),
        seedSeconds,
      );
      has = (await minimal.ask("bytes", { conversation: same })).events;
    }
  });
  bench.record(measured, "holdfast", { events });
  await measure(bench, [minimal], same, measured);
}

async function measure(bench, systems, conversation, name) {
  const samples = new Map(systems.map((system) => [system.name, []]));
  const left = await bench.interleave(name, systems, bench.options.resumeRounds, async (system) => {
    await system.process.stop();
    const { spawned, marks } = await system.launch();
    await system.open(conversation);
    const [[began, ended]] = await system.turns(conversation, 1);
    const [[next, after]] = await system.turns(conversation, 1);
    const { started, imported, connected = imported, worker = connected } = marks;
    samples.get(system.name).push({
      total: ended - spawned,
      node: started - spawned,
      import: imported - started,
      connect: connected - imported,
      worker: worker - connected,
      firstTurn: ended - began,
      nextTurn: after - next,
    });
  });
  for (const system of left) {
    const rows = samples.get(system.name);
    const figures = Object.keys(rows[0]).map((key) => [
      key,
      summary(
        rows.map((row) => row[key]),
        1,
      ),
    ]);
    bench.record(name, system.name, Object.fromEntries(figures));
  }
}

// From the start of a process to the first piece of an answer, servers running, in a new conversation.

import { messageOf } from "../provider.mjs";
import { summary } from "../statistics.mjs";

export async function start(bench) {
  const live = await bench.live("start");
  const samples = new Map(live.map(({ name }) => [name, []]));
  bench.say("start: first token of a fresh process");
  const left = await bench.interleave("start", live, bench.options.startRounds, async (system, round) => {
    await system.process.stop();
    const { spawned, marks } = await system.launch();
    const conversation = `start-${round}`;
    await system.open(conversation);
    const text = messageOf(conversation, 1);
    const { began, ended } = await system.ask("first-token", { conversation, turn: "t-1", text });
    const { started, imported, connected = imported, worker = connected } = marks;
    samples.get(system.name).push({
      total: ended - spawned,
      node: started - spawned,
      import: imported - started,
      connect: connected - imported,
      worker: worker - connected,
      firstToken: ended - began,
    });
  });
  for (const { name } of left) {
    const rows = samples.get(name);
    const figures = Object.keys(rows[0]).map((key) => [
      key,
      summary(
        rows.map((row) => row[key]),
        1,
      ),
    ]);
    bench.record("start", name, Object.fromEntries(figures));
  }
  await bench.end("start");
}

/** Journals that are out of date or damaged: they may cost time and a call, and nothing else. */
import { chmod, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Random } from "./random.js";
import { DAMAGED } from "./recovery-times.js";
import { type CaseResult, Stage } from "./stage.js";
import type { World } from "./world.js";

/** A worker that stands still loses its call to a sibling, and comes back with a whole reply. */
export async function stoppedWorker(world: World): Promise<CaseResult> {
  const stage = new Stage(world, "a worker stopped and resumed");
  const first = await world.startWorker("a");
  const talk = await stage.converse();
  const said = stage.say(talk, { replyMs: 3_000 });
  await stage.called(1);
  const frozen = world.freeze(first, 9_000);
  await world.startWorker("a");
  await stage.called(2);
  await frozen;
  await said;
  await stage.say(talk, { tool: "count" });
  stage.expect("calls", world.calls().length, 4);
  return stage.end();
}

/** The journal of a dead worker comes back from a copy: while another attempt runs, and when all has ended. */
export async function restoredJournal(world: World): Promise<CaseResult> {
  const stage = new Stage(world, "a dead worker's journal restored");
  const first = await world.startWorker("a");
  const talk = await stage.converse({ limits: { updates: 4 } });
  const said = stage.say(talk, { replyMs: 2_500 });
  await stage.called(1);
  await world.kill(first, "in the middle");
  const begun = await entriesOf(world, "a");
  stage.expect("entries of the call that was broken off", begun.size, 1);
  await rm(world.journal("a"), { recursive: true });
  await world.startWorker("b");
  await stage.called(2);
  await restore(world, "a", begun);
  await world.startWorker("a");
  await said;
  stage.expect("calls, the entry restored while another attempt ran", world.calls().length, 2);
  const whole = await wholeReply(stage, world);
  for (const entries of [begun, whole]) {
    const next = stage.say(talk, { replyMs: 1_500, tool: "again" });
    await restore(world, "a", entries);
    await next;
  }
  await gone(world, "a");
  stage.expect("entries that were left", (await entriesOf(world, "a")).size, 0);
  stage.expect("calls in all", world.calls().length, 2 + 1 + 4);
  return stage.end();
}

/** The entry of a reply that was whole, from a conversation in which it has been delivered since. */
async function wholeReply(stage: Stage, world: World): Promise<Entries> {
  await world.killAll("between two turns");
  const stopping = await world.startWorker("c", { HOLDFAST_TEST_STOP_AT: "journaled" });
  const talk = await stage.converse();
  const said = stage.say(talk);
  await stopping.stopped();
  await world.kill(stopping, "at journaled");
  const entries = await entriesOf(world, "c");
  await Promise.all([world.startWorker("a"), world.startWorker("c")]);
  await said;
  return entries;
}

const DAMAGES = ["truncated", "random", "empty", "folder", "locked"] as const;

export async function damagedJournal(world: World): Promise<CaseResult> {
  const stage = new Stage(world, "a damaged journal");
  const random = new Random(7);
  for (const damage of DAMAGES) {
    const before = world.calls().length;
    const first = await world.startWorker("a");
    const talk = await stage.converse();
    const said = stage.say(talk, { replyMs: 1_500 });
    await stage.called(before + 1);
    await world.kill(first, DAMAGED);
    for (const name of (await entriesOf(world, "a")).keys())
      await harm(join(world.journal("a"), name), damage, random);
    const second = await world.startWorker("a");
    await said;
    stage.expect(`calls with a journal that is ${damage}`, world.calls().length - before, 2);
    await world.drain(second);
  }
  await chmod(world.journal("a"), 0o755);
  const open = await world.startWorker("a");
  await stage.say(await stage.converse());
  stage.expect("one line about a journal that others may open", /chmod 700/.test(open.log()), true);
  return stage.end();
}

async function harm(path: string, damage: (typeof DAMAGES)[number], random: Random): Promise<void> {
  const { length } = await readFile(path);
  if (damage === "truncated") await truncate(path, random.integer(1, length - 1));
  else if (damage === "random")
    await writeFile(
      path,
      Uint8Array.from({ length }, () => random.integer(0, 255)),
    );
  else if (damage === "empty") await truncate(path, 0);
  else if (damage === "locked") await chmod(path, 0);
  else {
    await rm(path);
    await mkdir(path);
  }
}

/** By name. */
type Entries = ReadonlyMap<string, string>;

async function entriesOf(world: World, host: string): Promise<Entries> {
  const folder = world.journal(host);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)),
  );
}

async function restore(world: World, host: string, entries: Entries): Promise<void> {
  await mkdir(world.journal(host), { recursive: true, mode: 0o700 });
  for (const [name, text] of entries) await writeFile(join(world.journal(host), name), text, { mode: 0o600 });
}

/** Until every entry has been dealt with, or five seconds have shown that it is not. */
async function gone(world: World, host: string): Promise<void> {
  for (let tries = 0; tries < 50 && (await entriesOf(world, host)).size > 0; tries++) await delay(100);
}

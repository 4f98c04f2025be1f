// What a SIGKILL costs: while the provider works on a call, and just after it has replied. Is the turn completed by itself, how long after the
// new process's start, with how many paid calls, and is the history right?
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { now } from "../clock.mjs";
import { messageOf } from "../provider.mjs";
import { summary } from "../statistics.mjs";

const BEFORE = 3;
/** How long the killed call would have taken; it is killed after the second of these. */
const [WORKS_MS, KILLED_MS] = [1_500, 300];
/** While the provider works; with the reply's last byte; and once the system has noted the reply, or 5 ms later where that cannot be seen. */
const MOMENTS = ["working", "replied", "written"];
const NOTED_MS = 5;
/** Who takes longer is asked once. */
const SLOW_MS = 20_000;

export async function crash(bench) {
  const { crashRounds, patienceMs } = bench.options;
  let live = (await bench.live("crash")).filter(({ name }) => name !== "bare");
  for (const moment of MOMENTS) {
    bench.say(`crash: ${moment}, ${crashRounds} rounds, waiting at most ${patienceMs / 1_000} s`);
    const samples = new Map(live.map(({ name }) => [name, []]));
    live = await bench.interleave("crash", live, crashRounds, async (system, round) => {
      const rows = samples.get(system.name);
      if (rows.some(({ ms }) => ms === undefined || ms > SLOW_MS)) return;
      rows.push(await killed(bench, system, moment, `crash-${moment}-${round}`));
    });
    for (const { name } of live) bench.record("crash", name, { [moment]: figures(samples.get(name)) });
  }
  await bench.end("crash");
}

async function killed(bench, system, moment, conversation) {
  const { provider, options } = bench;
  await system.open(conversation);
  await system.turns(conversation, BEFORE);
  const text = messageOf(conversation, BEFORE + 1);
  const turn = `t-${BEFORE + 1}`;
  provider.delay(text, moment === "working" ? WORKS_MS : 0);
  const dead = killAt(provider, system, moment, text);
  system.ask("turns", { conversation, from: BEFORE + 1, texts: [text] }).catch(() => undefined);
  await dead;
  await system.process.exited;
  const { spawned } = await system.launch();
  await system.open(conversation);
  const row = await completion(system, { conversation, turn, text, spawned, patienceMs: options.patienceMs });
  if (row.ms === undefined) {
    system.process.kill();
    await system.process.exited;
    await system.launch();
    return { ...row, calls: provider.callsOf(text) };
  }
  const { value: history } = await system.ask("history", { conversation });
  return { ...row, calls: provider.callsOf(text), right: isRight(history, text) };
}

function killAt(provider, system, moment, text) {
  const { process } = system;
  if (moment === "working")
    return provider.waitForCall(text).then(async () => {
      await delay(KILLED_MS);
      process.kill();
    });
  return new Promise((resolve) => {
    const end = provider.onReplied(() => {
      end();
      const noted = moment === "written" ? replyNoted(system) : undefined;
      if (noted === undefined) resolve(process.kill());
      else void noted.then(() => resolve(process.kill()));
    });
  });
}

/** Looked for as often as this process can: what is noted is gone again some milliseconds later. */
async function replyNoted({ peer, files }) {
  if (peer.hasNotedReply === undefined) return delay(NOTED_MS);
  for (const late = now() + 1_000; now() < late && !peer.hasNotedReply(files); ) await setImmediate();
}

async function completion(system, { conversation, turn, text, spawned, patienceMs }) {
  const signal = AbortSignal.timeout(patienceMs);
  const late = new Promise((resolve) => signal.addEventListener("abort", () => resolve({ late: true })));
  const completed = await Promise.race([system.ask("completed", { conversation, turn }), late]);
  if (completed.late) return { byItself: true, longerThanMs: patienceMs };
  if (completed.value !== null) return { byItself: true, ms: completed.ended - spawned };
  await system.ask("again", { conversation, turn, text });
  return { byItself: false, ms: now() - spawned };
}

/** The turn is there once, its answer behind it, and nothing behind that. */
function isRight(history, text) {
  const said = history.map(
    ({ role, content }) => `${role}: ${typeof content === "string" ? content : textOf(content)}`,
  );
  return said.length === 2 * (BEFORE + 1) && said.indexOf(`user: ${text}`) === said.length - 2;
}

const textOf = (content) => content.map(({ text = "" }) => text).join("");

function figures(rows) {
  const times = rows.flatMap(({ ms }) => ms ?? []);
  const calls = rows.map((row) => row.calls);
  return {
    byItself: rows.every(({ byItself }) => byItself),
    ...(times.length < rows.length
      ? { longerThanMs: Math.max(...rows.map(({ longerThanMs = 0 }) => longerThanMs)) }
      : {}),
    ...(times.length === 0 ? {} : { ms: summary(times, 0) }),
    calls: {
      min: Math.min(...calls),
      max: Math.max(...calls),
      once: calls.filter((count) => count === 1).length,
      of: calls.length,
    },
    right: rows.every(({ right }) => right !== false),
  };
}

// A system with its servers running and its process started, in a folder of its own.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AdapterProcess } from "./adapter-process.mjs";
import { messageOf } from "./provider.mjs";

/** Of the suite's environment, what systems may need to run at all. */
const KEPT = ["PATH", "HOME", "LANG", "TMPDIR", "HOLDFAST_TEMPORAL_CLI", "HOLDFAST_CACHE"];

export class LiveSystem {
  #system;
  #place;
  #services;
  #env;
  #counts = new Map();
  /** The `AdapterProcess` of now. */
  process;

  /** Starts its servers, and its process on an empty folder. */
  static async start(system, { folder, provider }) {
    const live = new LiveSystem();
    await live.#start(system, folder, provider);
    return live;
  }

  async #start(system, folder, provider) {
    this.#system = system;
    this.#place = join(folder, system.name);
    const own = join(this.#place, "services");
    mkdirSync(own, { recursive: true });
    mkdirSync(join(this.#place, "files"));
    const services = await system.peer.startServices?.({
      folder: own,
      log: join(this.#place, "services.log"),
    });
    this.#services = services;
    const kept = KEPT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
    this.#env = {
      ...Object.fromEntries(kept),
      ...provider.env,
      ...services?.env,
      BENCH_FOLDER: join(this.#place, "files"),
      // As in a service that is started often: what Node has compiled it need not compile again.
      NODE_COMPILE_CACHE: join(this.#place, "compiled"),
    };
    try {
      await this.launch({ BENCH_FRESH: "1" });
    } catch (error) {
      await services?.stop();
      throw error;
    }
  }

  get name() {
    return this.#system.name;
  }

  get peer() {
    return this.#system.peer;
  }

  /** The folder for its files. */
  get files() {
    return this.#env.BENCH_FOLDER;
  }

  /** Starts the process; the one before has ended. */
  async launch(env = {}) {
    this.process = await AdapterProcess.start({
      file: join(this.#system.folder, "adapter.mjs"),
      cwd: this.#env.BENCH_FOLDER,
      env: { ...this.#env, ...env },
      log: join(this.#place, "adapter.log"),
    });
    return this.process;
  }

  ask(op, given) {
    return this.process.ask(op, given);
  }

  async open(conversation) {
    await this.ask("open", { conversation });
    if (!this.#counts.has(conversation)) this.#counts.set(conversation, 0);
  }

  turnsOf(conversation) {
    return this.#counts.get(conversation) ?? 0;
  }

  /** So many turns more, each after a pause; their times. */
  async turns(conversation, count, pauseMs = 0) {
    const from = this.turnsOf(conversation) + 1;
    const texts = Array.from({ length: count }, (_, index) => messageOf(conversation, from + index));
    const { times } = await this.ask("turns", { conversation, from, texts, pauseMs });
    this.#counts.set(conversation, from + count - 1);
    return times;
  }

  /** Until the conversation has so many turns. @throws where the system's limit or the time is passed */
  async seedTo(conversation, turns, seconds) {
    const { longest } = this.peer;
    if (longest !== undefined && turns > longest.turns)
      throw new Error(`ends at ${longest.turns} turns: ${longest.reason}`);
    const began = performance.now();
    while (this.turnsOf(conversation) < turns) {
      if (performance.now() - began > seconds * 1_000)
        throw new Error(`not there after ${seconds} s, at turn ${this.turnsOf(conversation)}`);
      await this.turns(conversation, Math.min(20, turns - this.turnsOf(conversation)));
    }
  }

  async stop() {
    await this.process?.stop();
    await this.#services?.stop();
  }
}

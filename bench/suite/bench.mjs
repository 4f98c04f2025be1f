// One run of the suite: its systems, its options, and what it has found so far.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LiveSystem } from "./live-system.mjs";
import { startProvider } from "./provider.mjs";

export class Bench {
  #groups = new Map();
  #folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-bench-")));
  #keep;

  constructor({ systems, options, provider, say }) {
    this.systems = systems;
    this.options = options;
    this.provider = provider;
    this.say = say;
    /** By measure, then by system: figures, or `{ error }`. */
    this.results = {};
    this.#keep = options.keep;
  }

  static async start(given) {
    return new Bench({ ...given, provider: await startProvider() });
  }

  /** The systems, running. Those of one group stay from measure to measure. */
  async live(group) {
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    const folder = join(this.#folder, group);
    const live = [];
    this.#groups.set(group, live);
    for (const system of this.systems) {
      try {
        live.push(await LiveSystem.start(system, { folder, provider: this.provider }));
      } catch (error) {
        this.failed(group, system.name, error);
      }
    }
    return live;
  }

  /** Keeps figures of a system, beside those that a measure has already. */
  record(measure, system, figures) {
    this.results[measure] ??= {};
    this.results[measure][system] = { ...this.results[measure][system], ...figures };
  }

  /** What was recorded since the last time. */
  takeResults() {
    const found = this.results;
    this.results = {};
    return found;
  }

  failed(measure, system, error) {
    const message = (error instanceof Error ? error.message : String(error)).split("\n")[0];
    this.say(`  ${measure}, ${system}: ${message}`);
    this.record(measure, system, { error: message });
  }

  /** Each round, each system in turn. A system that throws is left out from then on, and why is recorded. Gives those that are left. */
  async interleave(measure, systems, rounds, work) {
    const left = new Set(systems);
    for (let round = 0; round < rounds; round++)
      for (const system of left)
        try {
          await work(system, round);
        } catch (error) {
          left.delete(system);
          this.failed(measure, system.name, error);
        }
    return [...left];
  }

  async end(group) {
    const live = this.#groups.get(group) ?? [];
    this.#groups.delete(group);
    for (const system of live)
      await system.stop().catch((error) => this.say(`  ${system.name}: ${error.message}`));
  }

  async stop() {
    for (const group of [...this.#groups.keys()]) await this.end(group);
    await this.provider.stop();
    if (this.#keep) this.say(`kept: ${this.#folder}`);
    else rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

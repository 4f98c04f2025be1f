/** The workers of a seed: each place has one that is started again whenever it has died, until the time is over. */
import { setTimeout as delay } from "node:timers/promises";
import type { Disturbance, Layout } from "./schedule.js";
import type { RunningWorker, World } from "./world.js";

const PAUSE_MS = 200;

class Place {
  readonly #world: World;
  readonly #host: string;
  /** Takes the next `POINT:N` at which a worker is to kill itself. */
  readonly #death: () => string | undefined;
  #worker: RunningWorker | undefined;
  #pauseMs = PAUSE_MS;
  #calm = new AbortController();
  #over = false;
  #keeping: Promise<void> = Promise.resolve();

  constructor(world: World, host: string, death: () => string | undefined) {
    this.#world = world;
    this.#host = host;
    this.#death = death;
  }

  async open(): Promise<void> {
    await this.#start();
    this.#keeping = this.#keep();
  }

  async kill(pauseMs: number): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#pauseMs = pauseMs;
    await this.#world.kill(worker, "at random");
  }

  async freeze(ms: number): Promise<void> {
    if (this.#worker !== undefined) await this.#world.freeze(this.#worker, ms);
  }

  /** From now on it kills itself no more, and what has died comes back at once. */
  calm(): void {
    this.#calm.abort();
  }

  async close(): Promise<void> {
    this.#over = true;
    this.calm();
    await this.#worker?.kill();
    await this.#keeping;
  }

  async #keep(): Promise<void> {
    while (!this.#over) {
      await this.#worker?.exited;
      this.#worker = undefined;
      const pauseMs = this.#pauseMs;
      this.#pauseMs = PAUSE_MS;
      await delay(pauseMs, undefined, { signal: this.#calm.signal }).catch(() => undefined);
      // While the server is away none can start.
      while (!this.#over && this.#worker === undefined) await this.#start().catch(() => delay(PAUSE_MS));
    }
  }

  async #start(): Promise<void> {
    const death = this.#calm.signal.aborted ? undefined : this.#death();
    const more = death === undefined ? {} : { HOLDFAST_TEST_DIE_AT: death };
    const worker = await this.#world.startWorker(this.#host, more);
    this.#worker = worker;
    void worker.exited.then(() => {
      if (death !== undefined && worker.life.killed?.why === "itself")
        worker.life.killed = { ...worker.life.killed, why: `at ${death.split(":")[0]}` };
    });
    if (this.#calm.signal.aborted && death !== undefined) await this.#world.kill(worker, "before the calm");
    if (this.#over) await worker.kill();
  }
}

export class Crew {
  readonly #world: World;
  readonly #places: readonly Place[];

  constructor(world: World, layout: Layout, deaths: readonly (string | undefined)[]) {
    const left = [...deaths];
    const death = (): string | undefined => left.shift();
    const hosts = { one: ["a"], siblings: ["a", "a"], apart: ["a", "b"] }[layout];
    this.#world = world;
    this.#places = hosts.map((host) => new Place(world, host, death));
  }

  async open(): Promise<void> {
    await Promise.all(this.#places.map((place) => place.open()));
  }

  /** Each at its time; resolves when all have passed. */
  async suffer(disturbances: readonly Disturbance[]): Promise<void> {
    const began = Date.now();
    let outages: Promise<void> = Promise.resolve();
    await Promise.all(
      disturbances.map(async (disturbance) => {
        await delay(Math.max(0, disturbance.atMs - (Date.now() - began)));
        if (disturbance.type === "outage") {
          outages = outages.then(() => this.#world.outage(disturbance.downMs));
          return outages;
        }
        const place = this.#places[disturbance.worker];
        if (disturbance.type === "kill" && disturbance.aimed) await this.#world.inAnswer();
        if (disturbance.type === "kill") await place?.kill(disturbance.pauseMs);
        else await place?.freeze(disturbance.forMs);
      }),
    );
  }

  calm(): void {
    for (const place of this.#places) place.calm();
  }

  async close(): Promise<void> {
    await Promise.all(this.#places.map((place) => place.close()));
  }
}

/** One conversation in a world of its own, for a case that is played step by step and judged like a seed. */
import type { Fault } from "../../src/simulator/script.js";
import type { Violation } from "./observation.js";
import { observe, type SeedResult } from "./run-seed.js";
import type { ConversationPlan, TurnStep } from "./schedule.js";
import { Talk } from "./talk.js";
import type { World } from "./world.js";

export interface CaseResult extends SeedResult {
  /** What the case itself expected beside the invariants. */
  readonly unexpected: readonly Violation[];
}

export interface TurnOptions {
  readonly tool?: "count" | "again";
  readonly faults?: readonly Fault[];
  readonly replyMs?: number;
}

export class Stage {
  readonly world: World;
  readonly #name: string;
  readonly #began: number = Date.now();
  readonly #talks: Talk[] = [];
  readonly #unexpected: Violation[] = [];
  #turns = 0;

  constructor(world: World, name: string) {
    this.world = world;
    this.#name = name;
  }

  async converse(more: Partial<ConversationPlan> = {}): Promise<Talk> {
    const id = `s0-c${this.#talks.length}`;
    const talk = await Talk.start(this.world, {
      id,
      model: "claude-haiku-4-5",
      tools: ["count", "again"],
      limits: {},
      checkpoint: true,
      closes: false,
      callers: [],
      ...more,
    });
    this.#talks.push(talk);
    return talk;
  }

  /** Sends a turn, twice like every other, and resolves when it has ended. */
  say(talk: Talk, { tool, faults = [], replyMs = 100 }: TurnOptions = {}): Promise<void> {
    const turnId = `${talk.plan.id}-t${this.#turns++}`;
    const tag = `[${turnId}]`;
    const step: TurnStep & { readonly pauseMs: number } = {
      type: "turn",
      turnId,
      tag,
      text: `${tag} What now?${tool === undefined ? "" : ` Use ${tool} with {"ms": 50}`}`,
      via: "update",
      twice: "signal",
      waits: true,
      faults,
      replyMs,
      reader: "whole",
      pauseMs: 0,
    };
    return talk.say([step]);
  }

  /** Resolves once the simulator has had so many calls in all and is in the middle of the answer to the last one. */
  async called(times: number): Promise<void> {
    const { simulator } = this.world.stack;
    await simulator.waitForCall(({ id, chunksSent }) => id === times && chunksSent > 0, {
      timeoutMs: 30_000,
    });
  }

  expect(what: string, found: unknown, wanted: unknown): void {
    if (JSON.stringify(found) === JSON.stringify(wanted)) return;
    const text = `${what}: ${JSON.stringify(found)}, and not ${JSON.stringify(wanted)}`;
    this.#unexpected.push({ invariant: "case", conversation: this.#talks.at(-1)?.plan.id ?? "", text });
  }

  async end(): Promise<CaseResult> {
    // Every case ends with its own killed or drained.
    await this.world.startWorker("a");
    await Promise.all(this.#talks.map((talk) => talk.end()));
    const seen = await observe(this.world, { name: this.#name, talks: this.#talks, began: this.#began });
    return { ...seen, unexpected: this.#unexpected };
  }
}

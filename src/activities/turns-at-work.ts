/** Turns that this worker has called the provider for while it lived: a stop reaches it as it comes. */
import { LRUCache } from "lru-cache";

/** It matters while a worker is young only. */
const MOST_TURNS = 10_000;

interface TurnOf {
  readonly conversation_id: string;
  readonly turn_id: string;
}

export class TurnsAtWork {
  readonly #turns = new LRUCache<string, true>({ max: MOST_TURNS });

  add(turn: TurnOf): void {
    this.#turns.set(keyOf(turn), true);
  }

  has(turn: TurnOf): boolean {
    return this.#turns.has(keyOf(turn));
  }
}

const keyOf = ({ conversation_id, turn_id }: TurnOf): string => JSON.stringify([conversation_id, turn_id]);

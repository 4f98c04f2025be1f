/** Turns that were asked for while this worker lived: a stop reaches it as it comes. */
import { LRUCache } from "lru-cache";
import type { Root } from "../core/conversation/activity-contract.js";

/** It matters while a worker is young only. */
const MOST_TURNS = 10_000;

interface TurnOf {
  readonly conversation_id: string;
  readonly turn_id: string;
}

type HistoryOf = Pick<TurnOf, "conversation_id">;

export class TurnsAtWork {
  readonly #turns = new LRUCache<string, true>({ max: MOST_TURNS });
  readonly #histories = new LRUCache<string, true>({ max: MOST_TURNS });

  /** The provider has answered this worker. */
  add(turn: TurnOf): void {
    this.#turns.set(turnKey(turn), true);
  }

  has(turn: TurnOf): boolean {
    return this.#turns.has(turnKey(turn));
  }

  /** The server has taken an answer from this worker: what goes on from the history that ends with it is asked for afterwards. */
  addHistory(conversation: HistoryOf, root: Root): void {
    this.#histories.set(historyKey(conversation, root), true);
  }

  hasHistory(conversation: HistoryOf, root: Root): boolean {
    return this.#histories.has(historyKey(conversation, root));
  }
}

const turnKey = ({ conversation_id, turn_id }: TurnOf): string => JSON.stringify([conversation_id, turn_id]);
const historyKey = ({ conversation_id }: HistoryOf, { digest }: Root): string =>
  JSON.stringify([conversation_id, digest]);

/** When a run of a conversation has grown long enough to continue as a new one (WFL-174). */
import { jsonByteLength } from "../json-byte-length.js";

/** Whichever is reached first. */
export interface RunLimits {
  readonly events: number;
  /** Of the history. */
  readonly bytes: number;
  readonly updates: number;
}

export const RUN_LIMITS: RunLimits = { events: 1_500, bytes: 1024 * 1024, updates: 1_000 };

/** What an event takes beside its payloads. */
const EVENT_BYTES = 250;
/** A payload above this lies outside of the event, which names it. */
const EXTERNAL_BYTES = 128 * 1024;
/** A workflow task is scheduled, started and completed. */
const TASK_EVENTS = 3;

/**
 * The size of a run's history, reckoned from what the run has handled. What the server says of it goes by workflow tasks, and
 * a query can show a worker the end of an activity ahead of its task: a decision that went by it could come out otherwise
 * in a replay. The reckoning gives every message and every result a workflow task of its own, so it is never too low by them.
 */
export class RunMeter {
  #events = TASK_EVENTS + 1;
  #bytes = 0;
  #updates = 0;
  #isSuggested = false;

  /** Scheduled, started, and completed with `result`, which is counted when it comes. */
  countActivity(input: unknown): void {
    this.#count(3 + TASK_EVENTS, input);
  }

  countResult(result: unknown): void {
    this.#count(0, result);
  }

  /** Started, and fired or cancelled. */
  countTimer(): void {
    this.#count(2 + TASK_EVENTS, undefined);
  }

  /** A marker with its result. */
  countLocalActivity(result: unknown): void {
    this.#count(1, result);
  }

  countSignal(input: unknown): void {
    this.#count(1 + TASK_EVENTS, input);
  }

  /**
   * Accepted and completed. An update is only ever shown to a worker by its own workflow task, so the server's suggestion
   * may be taken from there.
   */
  countUpdate(input: unknown, isContinueAsNewSuggested: boolean): void {
    this.#updates++;
    this.#isSuggested ||= isContinueAsNewSuggested;
    this.#count(2 + TASK_EVENTS, input);
  }

  #count(events: number, payload: unknown): void {
    const bytes = payload === undefined ? 0 : jsonByteLength(payload);
    this.#events += events;
    this.#bytes += events * EVENT_BYTES + (bytes > EXTERNAL_BYTES ? EVENT_BYTES : bytes);
  }

  /** `limits` in the place of the usual ones. */
  isPast(limits: Partial<RunLimits> = {}): boolean {
    const { events, bytes, updates } = { ...RUN_LIMITS, ...limits };
    return this.#isSuggested || this.#events >= events || this.#bytes >= bytes || this.#updates >= updates;
  }
}

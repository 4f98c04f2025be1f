/** What the activities are given by the worker that runs them. */
import type { NamedStores } from "../connection/open-media-store.js";
import type { Agent } from "../core/agent.js";
import type { FrameSink } from "../core/conversation/frame.js";
import type { MediaStore } from "../core/media/media-store.js";
import type { Prices } from "../core/prices.js";
import type { Providers } from "../providers/providers.js";
import type { ProviderSettings } from "../providers/settings.js";
import type { CallPoint } from "./call-point.js";
import type { CallJournal } from "./journal/call-journal.js";
import type { WorkThreads } from "./threads/work-threads.js";
import type { Tools } from "./tools/plan-calls.js";
import type { TranscriptCache } from "./transcript-cache.js";
import type { TurnsAtWork } from "./turns-at-work.js";

/** Bounds of a turn on this worker (docs/operations.md has the figures). Times in milliseconds. */
export interface TurnBounds {
  /** Provider failures after which the turn is interrupted. A worker that dies does not count. */
  readonly providerFailures: number;
  /** One call to the provider. */
  readonly callMs: number;
  /** Waits between failures; the last one repeats. A retry-after of the provider wins. */
  readonly retryDelaysMs: readonly number[];
  /** The longest retry-after that is honoured. */
  readonly longestRetryAfterMs: number;
  /** Rounds of tools in one turn. */
  readonly toolRounds: number;
  /** Events, and bytes of history, of a run in whose turn no further round begins. The server ends a run above 51,200 or 50 MiB for good. */
  readonly runEvents: number;
  readonly runBytes: number;
}

export const DEFAULT_BOUNDS: TurnBounds = {
  providerFailures: 6,
  callMs: 15 * 60_000,
  retryDelaysMs: [1_000, 2_000, 4_000, 8_000, 16_000],
  longestRetryAfterMs: 120_000,
  toolRounds: 50,
  runEvents: 20_000,
  runBytes: 20 * 1024 * 1024,
};

export interface ActivityDependencies {
  readonly providers: Providers;
  readonly providerSettings: ProviderSettings;
  readonly mediaStore: MediaStore;
  /** The user's own, by name. */
  readonly stores?: NamedStores;
  /** Where pointers to the last envelopes of closed conversations are kept; undefined where the store has no folder. */
  readonly closedFolder: string | undefined;
  readonly frames: FrameSink;
  readonly transcripts: TranscriptCache;
  /** Agents deployed with this worker, by name. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** Tools registered with this worker, by name. */
  readonly tools: Tools;
  readonly bounds: TurnBounds;
  /** What models cost, after what an agent says itself. */
  readonly prices?: Prices;
  /** False where conversion between providers is turned off (HOLDFAST_CONVERSION=off). */
  readonly convert: boolean;
  /** When the worker was made, by `performance.now()`. Absent: long ago. */
  readonly madeMs?: number;
  /** Absent: none. */
  readonly turnsAtWork?: TurnsAtWork;
  /** The time in milliseconds since the epoch, by which uploaded files expire. Absent: the system's clock. */
  readonly now?: () => number;
  /** Where work above 1 MiB is done. Absent: on the main loop, like all other. */
  readonly threads?: WorkThreads;
  /** Calls in flight, on disk. Absent: what a killed worker was doing is found by its missing heartbeat only. */
  readonly journal?: CallJournal;
  /** Awaited at each point of a call. */
  readonly onCallPoint?: (point: CallPoint) => void | Promise<void>;
}

/** Why the provider was called again for an answer that it had been asked for already. */
import type { Observation, SeenCall, SentMessage, Span, WorkerLife } from "./observation.js";
import { modelCalls } from "./seen-calls.js";

/**
 * `fault`: the provider had failed. `timeout`: the call had lasted as long as a call may. `killed`: a worker was killed (or stood still) before the reply was in its journal.
 * `unreached`: the reply was in a journal that no living worker could read for longer than a heartbeat may be missed, and a
 * worker of another host made the call again.
 * `outage`: the server was away, and could not be told.
 */
export type Excuse = "fault" | "timeout" | "killed" | "unreached" | "outage";

export interface RepeatedCall {
  readonly conversation: string;
  readonly tag: string;
  /** The call that it repeats. */
  readonly before: SeenCall;
  readonly call: SeenCall;
  readonly excuse: Excuse | undefined;
}

/** The server gives an attempt up after four seconds without a beat; a beat may be half a second old. */
const MISSED_MS = 3_400;
/** Between what a process does and when another notices it. */
const SLACK_MS = 250;
/** Of the bound on a call that the workers of chaos have. */
export const CALL_MS = 5_000;

export function repeatedCalls(observation: Observation): readonly RepeatedCall[] {
  return observation.conversations.flatMap(({ messages }) =>
    messages.flatMap((message) => repeatedOf(observation, message)),
  );
}

function repeatedOf(observation: Observation, message: SentMessage): readonly RepeatedCall[] {
  const { conversation, tag, faults } = message;
  const all = observation.calls.filter((call) => call.lastUserText.startsWith(tag));
  const faulty = new Set(all.slice(0, faults).map(({ id }) => id));
  return modelCalls(all, tag).flatMap((calls) =>
    calls.slice(1).map((call, index) => {
      const before = calls[index] ?? call;
      const excuse = faulty.has(before.id) ? "fault" : excuseOf(observation, conversation, before, call);
      return { conversation, tag, before, call, excuse };
    }),
  );
}

function excuseOf(
  observation: Observation,
  conversation: string,
  before: SeenCall,
  call: SeenCall,
): Excuse | undefined {
  const between = { from: before.receivedAt, to: call.receivedAt };
  if (observation.outages.some((outage) => overlaps(outage, between))) return "outage";
  if (before.clientClosed && (before.endedAt ?? 0) - before.receivedAt >= CALL_MS - SLACK_MS)
    return "timeout";
  const holders = observation.workers.filter((worker) => mayHaveMade(worker, between));
  const journaled = observation.trace.find(
    ({ point, at, conversation: of }) =>
      point === "journaled" && of === conversation && at >= between.from && at <= between.to,
  );
  if (journaled === undefined)
    return holders.some((worker) => wasLost(worker, between)) ? "killed" : undefined;
  const holder = holders.find(({ pid }) => pid === journaled.pid);
  if (holder === undefined || !wasLost(holder, between)) return undefined;
  const isElsewhere = hostOf(observation, conversation, call) !== holder.host;
  return isElsewhere && isUnreached(observation, holder) ? "unreached" : undefined;
}

/** Of the worker that made the call: the last one that had come so far in this conversation. */
function hostOf({ trace, workers }: Observation, conversation: string, call: SeenCall): string | undefined {
  const line = trace.findLast(
    ({ point, at, conversation: of }) => point === "read" && of === conversation && at <= call.receivedAt,
  );
  return workers.find(({ pid }) => pid === line?.pid)?.host;
}

const overlaps = (one: Span, other: Span): boolean =>
  one.from <= other.to + SLACK_MS && one.to >= other.from - SLACK_MS;

function mayHaveMade({ readyAt, spawnedAt, killed }: WorkerLife, { from }: Span): boolean {
  return Math.min(readyAt, spawnedAt) <= from && (killed === undefined || killed.at >= from - SLACK_MS);
}

/** Killed in that time, or still for longer than its beats may be missed. */
function wasLost({ killed, stopped }: WorkerLife, span: Span): boolean {
  if (killed !== undefined && overlaps({ from: killed.at, to: killed.at }, span)) return true;
  return stopped.some((still) => still.to - still.from > MISSED_MS && overlaps(still, span));
}

/** Whether after the worker's end nobody could read its journal in time. A worker that stands still keeps its entry. */
function isUnreached({ workers }: Observation, { host, killed, stopped }: WorkerLife): boolean {
  if (killed === undefined) return stopped.length > 0;
  const until = killed.at + MISSED_MS;
  return !workers.some(
    (other) =>
      other.host === host &&
      other.readyAt <= until &&
      (other.killed === undefined || other.killed.at > until) &&
      !other.stopped.some((still) => overlaps(still, { from: killed.at, to: until })),
  );
}

/** How long after a kill the call that it broke off was made again. */
import type { Observation, SeenCall, TraceLine, WorkerLife } from "./observation.js";

/**
 * `sibling`: a worker of the same host lived. `elsewhere`: only one of another host. `start`: none, and the first to come was
 * of the same host; counted from its being ready. `unjournaled`: its journal had been damaged, so that only the missed heartbeat
 * tells. `disturbed`: the server or a worker was away as well.
 */
export type RecoveryWay = "sibling" | "elsewhere" | "start" | "unjournaled" | "disturbed";

export interface Recovery {
  readonly way: RecoveryWay;
  readonly why: string;
  /** From the kill; of a start: from the worker's being ready. */
  readonly ms: number;
  /** Of a start: from when its process was begun. */
  readonly fromSpawnMs?: number;
}

interface Kill {
  readonly at: number;
  readonly why: string;
}

export function recoveriesOf(observation: Observation): readonly Recovery[] {
  return observation.workers.flatMap((worker) => {
    const { killed } = worker;
    if (killed === undefined || killed.why === DRAINED) return [];
    return brokenOff(observation, worker).flatMap((broken) => {
      const next = nextCall(observation, broken);
      return next === undefined ? [] : [recoveryOf(observation, worker, killed, next)];
    });
  });
}

/** Why a worker has ended that was asked to. */
export const DRAINED = "drained";
/** Of a worker whose journal was damaged afterwards. */
export const DAMAGED = "journal damaged";

/** The last that the killed worker wrote of each call to a model which it had not ended. */
function brokenOff({ trace }: Observation, { pid }: WorkerLife): readonly TraceLine[] {
  const lines = trace.filter((line) => line.pid === pid && !line.point.startsWith("tool_"));
  const last = new Map(lines.map((line) => [`${line.conversation} ${line.activity}`, line]));
  return [...last.values()].filter(({ point }) => ["started", "read", "answered"].includes(point));
}

/** The provider is called next after `read`. A turn that was stopped meanwhile is not called again. */
function nextCall({ trace, calls }: Observation, broken: TraceLine): SeenCall | undefined {
  const again = trace.find(
    ({ point, at, conversation, activity, attempt }) =>
      point === "read" &&
      at > broken.at &&
      conversation === broken.conversation &&
      activity === broken.activity &&
      attempt > broken.attempt,
  );
  return again && calls.find((call) => call.receivedAt >= again.at && isFrom(call, broken.conversation));
}

const isFrom = ({ lastUserText }: SeenCall, conversation: string): boolean =>
  lastUserText.startsWith(`[${conversation}-`);

function recoveryOf(
  { workers, outages }: Observation,
  worker: WorkerLife,
  { at, why }: Kill,
  { receivedAt }: SeenCall,
): Recovery {
  const ms = receivedAt - at;
  const away = [...outages, ...workers.flatMap(({ stopped }) => stopped)].some(
    ({ from, to }) => from <= receivedAt && to >= at,
  );
  if (why === DAMAGED) return { way: "unjournaled", why, ms };
  if (away) return { way: "disturbed", why, ms };
  const living = workers.filter(
    (other) => other !== worker && other.readyAt <= at && (other.killed?.at ?? receivedAt) >= receivedAt,
  );
  if (living.some(({ host }) => host === worker.host)) return { way: "sibling", why, ms };
  if (living.length > 0) return { way: "elsewhere", why, ms };
  const [first] = workers
    .filter(({ readyAt, killed }) => readyAt > at && (killed?.at ?? receivedAt) >= receivedAt)
    .sort((one, other) => one.readyAt - other.readyAt);
  if (first === undefined || first.host !== worker.host || first.readyAt > receivedAt + 500)
    return { way: "disturbed", why, ms };
  const fromSpawnMs = receivedAt - first.spawnedAt;
  return { way: "start", why, ms: Math.max(0, receivedAt - first.readyAt), fromSpawnMs };
}

/** How long after a kill the call that it broke off was made again. */
import type { Observation, SeenCall, TraceLine, WorkerLife } from "./observation.js";

/**
 * By whom: `sibling`, a worker of the same host that was there; `elsewhere`, one of another host; `start`, one that came to the same
 * host, counted from its being ready. `unjournaled`: its journal had been damaged, so that only the missed heartbeat
 * tells. `disturbed`: the server was away as well, a worker stood still, or another one was killed meanwhile.
 */
export type RecoveryWay = "sibling" | "elsewhere" | "start" | "unjournaled" | "disturbed";

export interface Recovery {
  readonly way: RecoveryWay;
  readonly why: string;
  readonly conversation: string;
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
      // Made before the kill it was: the server had given the call to another worker by then.
      if (next === undefined || next.call.receivedAt < killed.at) return [];
      return [recoveryOf(observation, worker, killed, next)];
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
  const last = new Map(lines.map((line) => [`${line.run} ${line.activity}`, line]));
  return [...last.values()].filter(({ point }) => ["started", "read", "answered"].includes(point));
}

interface Again {
  readonly conversation: string;
  readonly call: SeenCall;
  /** The worker that made it. */
  readonly maker: WorkerLife | undefined;
}

/** The provider is called next after `read`. A turn that was stopped meanwhile is not called again. */
function nextCall({ trace, calls, workers }: Observation, broken: TraceLine): Again | undefined {
  const again = trace.find(
    ({ point, at, run, activity, attempt }) =>
      point === "read" &&
      at > broken.at &&
      run === broken.run &&
      activity === broken.activity &&
      attempt > broken.attempt,
  );
  const call =
    again && calls.find(({ receivedAt, ...of }) => receivedAt >= again.at && isFrom(of, broken.conversation));
  const { conversation } = broken;
  return call && { conversation, call, maker: workers.find(({ pid }) => pid === again?.pid) };
}

const isFrom = ({ lastUserText }: Pick<SeenCall, "lastUserText">, conversation: string): boolean =>
  lastUserText.startsWith(`[${conversation}-`);

function recoveryOf(
  { workers, outages }: Observation,
  worker: WorkerLife,
  { at, why }: Kill,
  { call: { receivedAt }, maker, conversation }: Again,
): Recovery {
  const ms = receivedAt - at;
  const of = { why, conversation, ms };
  if (why === DAMAGED) return { way: "unjournaled", ...of };
  const others = workers.flatMap(({ killed }) =>
    killed === undefined || killed.at === at ? [] : [{ from: killed.at, to: killed.at }],
  );
  const away = [...outages, ...others, ...workers.flatMap(({ stopped }) => stopped)].some(
    ({ from, to }) => from <= receivedAt && to >= at,
  );
  if (away || maker === undefined) return { way: "disturbed", ...of };
  const isSameHost = maker.host === worker.host;
  if (maker.readyAt <= at) return { way: isSameHost ? "sibling" : "elsewhere", ...of };
  if (!isSameHost) return { way: "disturbed", ...of };
  const fromSpawnMs = receivedAt - maker.spawnedAt;
  return { way: "start", ...of, ms: Math.max(0, receivedAt - maker.readyAt), fromSpawnMs };
}

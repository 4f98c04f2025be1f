/** What a seed does on a cluster: that of chaos, with what a cluster is there for. */
import { type Disturbance, type Extent, type Schedule, scheduleOf } from "../chaos/schedule.js";

/** The random disturbances of a seed of chaos, beside those that every one of these has. */
const EXTENT: Extent = { conversations: 5, turns: [8, 12], spanMs: 20_000, disturbances: 3, outages: true };
/** Each node once, and a worker in the middle of an answer. */
const ALWAYS: readonly Disturbance[] = [
  { type: "outage", atMs: 3_000, downMs: 3_000 },
  { type: "kill", atMs: 4_000, worker: 0, pauseMs: 500, aimed: true },
  { type: "kill", atMs: 9_000, worker: 1, pauseMs: 500, aimed: true },
  { type: "outage", atMs: 12_000, downMs: 3_000 },
];

export function clusterSchedule(seed: number): Schedule {
  const schedule = scheduleOf(seed, EXTENT);
  return { ...schedule, layout: "apart", disturbances: [...ALWAYS, ...schedule.disturbances] };
}

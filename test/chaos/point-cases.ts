/** A kill at every named point of a call: of a model, and of a tool. */
import { CALL_POINTS, type CallPoint, TOOL_POINTS } from "../../src/activities/call-point.js";
import { type CaseResult, Stage } from "./stage.js";
import type { World } from "./world.js";

export const POINTS: readonly CallPoint[] = [...CALL_POINTS, ...TOOL_POINTS];

/** Calls to the model, and times that the tool ran to its end. */
const OUTCOMES: Readonly<Record<CallPoint, readonly [calls: number, toolRuns: number]>> = {
  started: [1, 0],
  read: [1, 0],
  answered: [2, 0],
  journaled: [1, 0],
  acknowledged: [1, 0],
  failing: [2, 0],
  tool_started: [2, 1],
  // Whether it had begun nobody can know: the model is told so.
  tool_running: [2, 0],
  tool_returned: [2, 1],
};

export async function killAtPoints(world: World, points: readonly CallPoint[] = POINTS): Promise<CaseResult> {
  const stage = new Stage(world, `a kill at ${points.join(", ")}`);
  for (const point of points) await killAt(stage, point);
  return stage.end();
}

async function killAt(stage: Stage, point: CallPoint): Promise<void> {
  const { world } = stage;
  const [calls, toolRuns] = OUTCOMES[point];
  const before = { calls: world.calls().length, ended: await endedTools(world) };
  const first = await world.startWorker("a", { HOLDFAST_TEST_STOP_AT: point });
  const talk = await stage.converse();
  const said = stage.say(talk, {
    ...(point.startsWith("tool_") ? { tool: "count" } : {}),
    ...(point === "failing" ? { faults: [{ kind: "status", status: 500 }] } : {}),
  });
  await first.stopped();
  await world.kill(first, `at ${point}`);
  const second = await world.startWorker("a");
  await said;
  stage.expect(`calls after a kill at ${point}`, world.calls().length - before.calls, calls);
  stage.expect(`tool runs after a kill at ${point}`, (await endedTools(world)) - before.ended, toolRuns);
  await world.drain(second);
}

async function endedTools(world: World): Promise<number> {
  return (await world.toolLines()).filter(({ what }) => what === "ended").length;
}

/** A little of `npm run test:chaos`, with fixed seeds. */
import { describe, expect, it, vi } from "vitest";
import { keepEvidence } from "../chaos/evidence.js";
import { violationsOf } from "../chaos/invariants.js";
import { killAtPoints } from "../chaos/point-cases.js";
import { reportLines, reportOf } from "../chaos/report.js";
import { runSeed } from "../chaos/run-seed.js";
import { type Extent, scheduleOf } from "../chaos/schedule.js";
import { World } from "../chaos/world.js";

vi.setConfig({ testTimeout: 120_000 });

const SHORT: Extent = {
  conversations: 3,
  turns: [3, 4],
  spanMs: 4_000,
  disturbances: 4,
  outages: true,
};
const SEED = 3;

describe("chaos", () => {
  it("CHA-1 of workers and server that are killed, faults of the provider, duplicates, stops and nonsense breaks nothing that was promised", async () => {
    await using world = await World.open();
    const result = await runSeed(world, scheduleOf(SEED, SHORT));
    const { observation } = result;
    const violations = violationsOf(observation);
    if (violations.length > 0) keepEvidence(world, violations, result);
    const report = reportOf([{ observation, violations }], 1, observation.tookMs / 1_000);
    console.log(reportLines(report).join("\n"));
    expect(violations).toEqual([]);
    expect(report.kills).toBeGreaterThan(0);
    expect(report.server_restarts).toBeGreaterThan(0);
    expect(report.turns.committed).toBeGreaterThan(0);
  });

  it("CHA-2 of a worker that is killed while its tool runs, and after it, has the turn answered and the tool run once", async () => {
    await using world = await World.open();
    const { observation, unexpected } = await killAtPoints(world, ["tool_running", "tool_returned"]);
    expect([...violationsOf(observation), ...unexpected]).toEqual([]);
  });

  it("CHA-7 without the journal is found out: the reply that had arrived is paid twice", async () => {
    await using world = await World.open("journal");
    const { observation, unexpected } = await killAtPoints(world, ["journaled"]);
    expect(violationsOf(observation)).toMatchObject([{ invariant: "paid calls" }]);
    expect(unexpected).toMatchObject([
      { text: expect.stringContaining("calls after a kill at journaled: 2") },
    ]);
  });
});

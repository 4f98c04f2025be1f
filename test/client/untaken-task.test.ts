import { describe, expect, it } from "vitest";
import { UntakenTask } from "../../src/client/untaken-task.js";

const at = (seconds: number) => ({ seconds, nanos: 0 }) as never;
const POLLED_BEFORE = [{ lastAccessTime: at(90) }];
const task = { scheduledTime: at(100) };

describe("a workflow task that lies at the server", () => {
  it("API-392 for eight seconds, and nobody has polled since it came, has nobody to take it", () => {
    const untaken = new UntakenTask();
    expect([0, 1_500, 7_900, 8_000].map((now) => untaken.isNobodys(task, POLLED_BEFORE, now))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it("API-392 is waited for where somebody has polled since, has begun it, or where it is another one by now", () => {
    const untaken = new UntakenTask();
    untaken.isNobodys(task, POLLED_BEFORE, 0);
    const busy = [...POLLED_BEFORE, { lastAccessTime: at(101) }];
    expect(untaken.isNobodys(task, busy, 9_000)).toBe(false);
    expect(untaken.isNobodys({ ...task, startedTime: at(101) }, POLLED_BEFORE, 9_000)).toBe(false);
    expect(untaken.isNobodys(undefined, POLLED_BEFORE, 9_000)).toBe(false);
    expect(untaken.isNobodys({ scheduledTime: at(102) }, POLLED_BEFORE, 9_000)).toBe(false);
    expect(untaken.isNobodys({ scheduledTime: at(102) }, POLLED_BEFORE, 17_000)).toBe(true);
  });
});

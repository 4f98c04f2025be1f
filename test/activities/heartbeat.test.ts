import type { Context } from "@temporalio/activity";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startHeartbeat } from "../../src/activities/heartbeat.js";

describe("startHeartbeat", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("ACT-13 beats at once, then every 250 ms with what is known at that moment, until it is stopped", () => {
    const beats: unknown[] = [];
    const context = { heartbeat: (details: unknown) => void beats.push(details) } as unknown as Context;
    let calls = 0;
    const stop = startHeartbeat(context, () => calls++);
    expect(beats).toEqual([0]);
    vi.advanceTimersByTime(500);
    expect(beats).toEqual([0, 1, 2]);
    stop();
    vi.advanceTimersByTime(10_000);
    expect(beats).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import { RUN_LIMITS, RunMeter } from "../../../src/core/conversation/run-limits.js";

const SMALL = { events: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY, updates: 3 };

/** How often a meter is told of something before a run is long enough. */
function timesUntilPast(tell: (meter: RunMeter) => void, limits = {}): number {
  const meter = new RunMeter();
  for (let times = 1; ; times++) {
    tell(meter);
    if (meter.isPast(limits)) return times;
  }
}

describe("the length of a run", () => {
  it("WFL-174 is bounded at 1,500 events, 1 MiB of history and 1,000 updates, whichever comes first", () => {
    expect(RUN_LIMITS).toEqual({ events: 1_500, bytes: 1_048_576, updates: 1_000 });
    const turns = timesUntilPast((meter) => {
      meter.countUpdate([{ message: "A question" }], false);
      meter.countActivity([{ root: {} }]);
      meter.countResult({ messages: [] });
    });
    expect(turns).toBe(136);
    expect(timesUntilPast((meter) => meter.countSignal([]))).toBe(374);
    expect(timesUntilPast((meter) => meter.countUpdate([], false), SMALL)).toBe(3);
  });

  it("WFL-174 counts what payloads hold, but of those that lie outside of the events only the name", () => {
    const kib = (count: number): string => "x".repeat(count * 1_024);
    const bytes = { events: Number.POSITIVE_INFINITY };
    expect(timesUntilPast((meter) => meter.countResult(kib(100)), bytes)).toBe(11);
    const meter = new RunMeter();
    for (let times = 0; times < 100; times++) meter.countResult(kib(200));
    expect(meter.isPast()).toBe(false);
    expect(timesUntilPast((other) => other.countLocalActivity(kib(64)), bytes)).toBe(16);
  });

  it("WFL-175 takes the server's suggestion as well, and limits in the place of the usual ones", () => {
    const meter = new RunMeter();
    meter.countUpdate([], false);
    expect(meter.isPast()).toBe(false);
    expect(meter.isPast({ updates: 1 })).toBe(true);
    meter.countUpdate([], true);
    expect(meter.isPast()).toBe(true);
  });
});

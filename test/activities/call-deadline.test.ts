import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallDeadline } from "../../src/activities/call-deadline.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the deadline of a call", () => {
  it("ACT-300 ends the call when its time is over, and says so", () => {
    using deadline = new CallDeadline(new AbortController().signal, 1_000);
    vi.advanceTimersByTime(999);
    expect(deadline.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(deadline.isOver).toBe(true);
    expect(deadline.signal.reason).toMatchObject({ name: "TimeoutError" });
  });

  it("ACT-300 ends it with the caller's reason, whether that stops before or in the middle of it", () => {
    const caller = new AbortController();
    using within = new CallDeadline(caller.signal, 1_000);
    caller.abort("stopped");
    using after = new CallDeadline(caller.signal, 1_000);
    vi.advanceTimersByTime(1_000);
    for (const { signal, isOver } of [within, after]) {
      expect(signal.reason).toBe("stopped");
      expect(isOver).toBe(false);
    }
  });

  it("ACT-300 does not end at once a call that may take longer than a timer can", () => {
    using deadline = new CallDeadline(new AbortController().signal, 2 ** 40);
    vi.advanceTimersByTime(60_000);
    expect(deadline.signal.aborted).toBe(false);
  });

  it("ACT-300 leaves no timer and no listener once the call has ended", () => {
    const caller = new AbortController();
    const deadline = new CallDeadline(caller.signal, 1_000);
    expect([vi.getTimerCount(), getEventListeners(caller.signal, "abort").length]).toEqual([1, 1]);
    deadline[Symbol.dispose]();
    expect([vi.getTimerCount(), getEventListeners(caller.signal, "abort").length]).toEqual([0, 0]);
  });
});

import { afterEach, describe, expect, it, vi } from "vitest";
import { OverDeadlineError, withinDeadline } from "../../../src/activities/output/within-deadline.js";

function forEver(): never {
  for (;;);
}

/** What the thread is said to have worked when it is asked, one call after the other. */
function worked(...milliseconds: readonly number[]): void {
  const spy = vi.spyOn(process, "threadCpuUsage");
  for (const ms of milliseconds) spy.mockReturnValueOnce({ user: ms * 1_000, system: 0 });
}

afterEach(() => vi.restoreAllMocks());

describe("work within a deadline", () => {
  it("OUT-25 is tried again for longer where others got the time, and at most three times", () => {
    worked(0, 1, 1, 2);
    const tries = vi.fn().mockImplementationOnce(forEver).mockImplementationOnce(forEver);
    expect(withinDeadline(10, () => `${tries()} done`)).toBe("undefined done");
    expect(tries).toHaveBeenCalledTimes(3);
    worked(0, 1, 1, 2, 2, 3);
    const never = vi.fn(forEver);
    expect(() => withinDeadline(10, never)).toThrow(new OverDeadlineError(10));
    expect(never).toHaveBeenCalledTimes(3);
  });

  it("OUT-25 is not tried again where the time was its own", () => {
    worked(0, 10);
    const never = vi.fn(forEver);
    expect(() => withinDeadline(10, never)).toThrow("it takes more than 10 ms");
    expect(never).toHaveBeenCalledTimes(1);
  });

  it("OUT-23 throws what the work throws, as it is", () => {
    const fault = new TypeError("no");
    const fails = (): never => {
      throw fault;
    };
    expect(() => withinDeadline(1_000, fails)).toThrow(fault);
    expect(withinDeadline(1_000, () => undefined)).toBeUndefined();
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hedge } from "../../src/activities/hedge.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<string>(() => undefined);

/** Another way that counts how often it was asked. */
function otherWay(answer: () => Promise<string | undefined>) {
  const other = vi.fn(answer);
  return { other, answered: async (asked: Promise<string>) => hedge(asked, 500, other) };
}

describe("a request beside one that is late", () => {
  it("ACT-350 is not made where the first answers in time", async () => {
    const { other, answered } = otherWay(async () => "other");
    expect(await answered(Promise.resolve("asked"))).toBe("asked");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(other).not.toHaveBeenCalled();
  });

  it("ACT-350 counts where it answers first", async () => {
    const { answered } = otherWay(async () => "other");
    const answer = answered(never);
    await vi.advanceTimersByTimeAsync(499);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toBe("other");
  });

  it.each([
    ["knows nothing", async () => undefined],
    ["fails", async () => Promise.reject(new Error("No such run."))],
  ])("ACT-350 does not count where it %s", async (_how, other) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const failing = Promise.withResolvers<string>();
    const [answer, failed] = [promise, failing.promise].map((asked) => hedge(asked, 500, other));
    const told = expect(failed).rejects.toThrow("moved on");
    await vi.advanceTimersByTimeAsync(1_000);
    resolve("asked");
    expect(await answer).toBe("asked");
    failing.reject(new Error("moved on"));
    await told;
    reject(new Error("too late"));
  });
});

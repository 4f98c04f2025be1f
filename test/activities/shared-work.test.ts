import { describe, expect, it } from "vitest";
import { SharedWork } from "../../src/activities/shared-work.js";

const never = (): AbortSignal => new AbortController().signal;

describe("work that several want", () => {
  it("ACT-113 is done once for all that ask while it is done, and anew for who asks later", async () => {
    const shared = new SharedWork<number>();
    let done = 0;
    const work = async (): Promise<number> => {
      await Promise.resolve();
      done += 1;
      return done;
    };
    expect(await Promise.all([shared.run("a", never(), work), shared.run("a", never(), work)])).toEqual([
      1, 1,
    ]);
    expect(await shared.run("a", never(), work)).toBe(2);
    const both = await Promise.all([shared.run("a", never(), work), shared.run("b", never(), work)]);
    expect(both.sort()).toEqual([3, 4]);
  });

  it("ACT-113 is aborted once nobody waits, and who comes after that is not stopped with it", async () => {
    const shared = new SharedWork<string>();
    const [first, second] = [new AbortController(), new AbortController()];
    const signals: AbortSignal[] = [];
    const work = (signal: AbortSignal): Promise<string> => {
      signals.push(signal);
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    const one = shared.run("a", first.signal, work);
    const two = shared.run("a", second.signal, work);
    first.abort(new Error("first"));
    await expect(one).rejects.toThrow("first");
    expect(signals[0]?.aborted).toBe(false);
    second.abort(new Error("second"));
    await expect(two).rejects.toThrow("second");
    expect(signals[0]?.aborted).toBe(true);
    expect(await shared.run("a", never(), async () => "anew")).toBe("anew");
    await expect(shared.run("a", first.signal, work)).rejects.toThrow("first");
    expect(signals).toHaveLength(1);
  });

  it("ACT-113 that fails fails for all that wait", async () => {
    const shared = new SharedWork<number>();
    const fail = async (): Promise<number> => {
      throw new RangeError("full");
    };
    const settled = await Promise.allSettled([
      shared.run("a", never(), fail),
      shared.run("a", never(), fail),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});

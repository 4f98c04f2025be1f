import type { Client } from "@temporalio/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { patientQueries } from "../../src/connection/patient-queries.js";

const INPUT = { queryType: "status", args: [], headers: {}, workflowExecution: { workflowId: "c" } };

let deadlines: number[];
const connection = {
  withDeadline: <T>(deadline: number, call: () => Promise<T>) => {
    deadlines.push(deadline - Date.now());
    return call();
  },
} as unknown as Client["connection"];

/** The answers that are waited for, in the order in which they were asked. */
let waiting: PromiseWithResolvers<unknown>[];
const outcome = vi.fn<(value: unknown) => void>();

function ask(): void {
  const { query } = patientQueries(connection);
  const next = (): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>();
    waiting.push(answer);
    return answer.promise;
  };
  query?.(INPUT, next).then(outcome, outcome);
}

beforeEach(() => {
  vi.useFakeTimers();
  deadlines = [];
  waiting = [];
  outcome.mockReset();
  ask();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a query", () => {
  it("API-173 is given ten seconds", () => {
    expect(deadlines).toEqual([10_000]);
  });

  it("API-174 is asked once where its answer comes in time, or its failure", async () => {
    await vi.advanceTimersByTimeAsync(1_900);
    waiting[0]?.resolve("answered");
    await vi.advanceTimersByTimeAsync(20_000);
    expect(outcome.mock.calls).toEqual([["answered"]]);
    ask();
    const refused = new Error("no such query");
    waiting[1]?.reject(refused);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(outcome.mock.calls).toEqual([["answered"], [refused]]);
    expect(waiting).toHaveLength(2);
  });

  it("API-174 is asked beside itself after two and after five seconds, with what is left of its time; whoever answers first is heard", async () => {
    await vi.advanceTimersByTimeAsync(1_999);
    expect(waiting).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(deadlines).toEqual([10_000, 8_000, 5_000]);
    waiting[0]?.reject(new Error("late"));
    waiting[1]?.resolve("the second");
    waiting[2]?.resolve("the third");
    await vi.advanceTimersByTimeAsync(20_000);
    expect(outcome.mock.calls).toEqual([["the second"]]);
    expect(waiting).toHaveLength(3);
  });

  it("API-330 is asked again at once, twice, where the SDK was shown a history half replayed", async () => {
    const misled = new Error("Unexpected notifyHasPatch job on non-replay activation");
    for (const at of [0, 1]) {
      waiting[at]?.reject(misled);
      await vi.advanceTimersByTimeAsync(0);
      expect(waiting).toHaveLength(at + 2);
    }
    waiting[2]?.resolve("answered");
    await vi.advanceTimersByTimeAsync(20_000);
    expect(outcome.mock.calls).toEqual([["answered"]]);
    ask();
    for (const at of [3, 4, 5]) {
      waiting[at]?.reject(misled);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(outcome.mock.calls).toEqual([["answered"], [misled]]);
  });

  it("API-174 fails once nobody is left who could answer", async () => {
    await vi.advanceTimersByTimeAsync(5_000);
    const last = new Error("the last");
    waiting[1]?.reject(new Error("the second"));
    waiting[0]?.reject(new Error("the first"));
    await vi.advanceTimersByTimeAsync(100);
    expect(outcome).not.toHaveBeenCalled();
    waiting[2]?.reject(last);
    await vi.advanceTimersByTimeAsync(100);
    expect(outcome.mock.calls).toEqual([[last]]);
  });
});

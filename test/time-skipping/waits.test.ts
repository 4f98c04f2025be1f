import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ProviderFailure, type ProviderFailureDetails } from "../../src/core/errors/provider-failure.js";
import * as m from "../../src/workflows/messages.js";
import {
  answers,
  type Behaviour,
  hangs,
  type SkippingServer,
  startSkippingServer,
} from "../support/time-skipping.js";

const fails =
  (details: ProviderFailureDetails = {}): Behaviour =>
  () =>
    Promise.reject(new ProviderFailure("rate_limited", "Too many requests.", details));

/** The waits between calls, in whole seconds. */
function waits(callTimes: readonly number[]): number[] {
  return callTimes.slice(1).map((time, index) => Math.round((time - (callTimes[index] ?? 0)) / 1000));
}

describe("the waits of a turn", () => {
  let server: SkippingServer;
  beforeAll(async () => {
    server = await startSkippingServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("WFL-84 waits 1, 2, 4, 8 and 16 s between six failures of the provider, then interrupts the turn", async () => {
    const conversation = await server.converse({ provider: [fails()] });
    await conversation.submit("t1");
    await server.sleep("40 seconds");
    expect(waits(conversation.callTimes)).toEqual([1, 2, 4, 8, 16]);
    const { state, interrupted_turn: record } = await conversation.turn("t1");
    expect(state).toBe("interrupted");
    expect(record).toMatchObject({
      error_type: "provider.rate_limited",
      error: "Too many requests.",
      attempts: 6,
      message: "Question of t1",
    });
    const retries = conversation.frames.filter((frame) => frame.type === "retry");
    expect(retries.map(({ delay_ms }) => delay_ms)).toEqual([1000, 2000, 4000, 8000, 16_000]);
    const { totals } = await conversation.handle.query(m.describe);
    expect(totals.provider_calls).toBe(6);
  });

  it("WFL-65 waits as long as the provider asks for, up to 120 s", async () => {
    const conversation = await server.converse({
      provider: [fails({ retryAfterMs: 90_000 }), fails({ retryAfterMs: 3_600_000 }), fails(), answers],
    });
    await conversation.submit("t1");
    await server.sleep("5 minutes");
    expect(waits(conversation.callTimes)).toEqual([90, 120, 4]);
    expect(await conversation.turn("t1")).toMatchObject({
      state: "committed",
      result: { provider_calls: 4, attempt: 4 },
    });
  });

  it("WFL-66 counts a call that exceeds its own bound as a failure of the provider", async () => {
    const conversation = await server.converse({
      provider: [hangs],
      bounds: { callMs: 50, providerFailures: 3 },
    });
    await conversation.submit("t1");
    await server.sleep("10 seconds");
    expect(waits(conversation.callTimes)).toEqual([1, 2]);
    expect(await conversation.turn("t1")).toMatchObject({
      state: "interrupted",
      interrupted_turn: { error_type: "provider.timeout", attempts: 3 },
    });
  });

  it("WFL-67 gives a turn 60 minutes: when the next wait would exceed them, the last failure ends it", async () => {
    const conversation = await server.converse({
      provider: [fails({ retryAfterMs: 120_000 })],
      bounds: { providerFailures: 1_000 },
    });
    await conversation.submit("t1");
    await server.sleep("59 minutes");
    expect(conversation.callTimes).toHaveLength(30);
    await server.sleep("2 minutes");
    expect(conversation.callTimes).toHaveLength(30);
    expect(await conversation.turn("t1")).toMatchObject({
      state: "interrupted",
      interrupted_turn: { error_type: "provider.rate_limited", attempts: 30 },
    });
  });

  it("WFL-69 does not count a worker that vanishes as a failure of the provider", async () => {
    const vanished = Promise.withResolvers<void>();
    let attempts = 0;
    const conversation = await server.converse({
      provider: [fails(), answers],
      bounds: { providerFailures: 2 },
      activities: (real) => ({
        async callModel(input) {
          attempts++;
          // To the server a worker that no longer beats looks like one that was killed.
          if (attempts === 2) await vanished.promise;
          return real.callModel(input);
        },
      }),
    });
    await conversation.submit("t1");
    await server.sleep("2 seconds");
    await vi.waitFor(async () => expect((await conversation.turn("t1")).state).not.toBe("running"), 15_000);
    vanished.resolve();
    expect(await conversation.turn("t1")).toMatchObject({
      state: "committed",
      result: { attempt: 3, provider_calls: 2 },
    });
  });

  it("WFL-70 costs nothing while it is idle: 30 days leave no event behind, and then it answers", async () => {
    const conversation = await server.converse({ provider: [answers] });
    await conversation.submit("t1");
    await server.sleep("10 seconds");
    const before = (await conversation.handle.describe()).historyLength;
    await server.sleep("30 days");
    expect((await conversation.handle.describe()).historyLength).toBe(before);
    await conversation.submit("t2");
    await server.sleep("10 seconds");
    expect(await conversation.turn("t2")).toMatchObject({ state: "committed" });
  });
});

import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { OVER, pause } from "../../src/connection/pause.js";

describe("a wait", () => {
  it("CON-320 lasts as long as it should, or until its signal is aborted, and leaves nothing on the signal", async () => {
    const stop = new AbortController();
    const started = performance.now();
    await pause(20, stop.signal);
    expect(performance.now() - started).toBeGreaterThanOrEqual(19);
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
    const long = pause(60_000, stop.signal);
    stop.abort(OVER);
    await long;
    await pause(60_000, stop.signal);
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  });
});

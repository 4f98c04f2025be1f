import { describe, expect, it } from "vitest";
import { InProcessHub } from "../../src/connection/frame-buffer.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import { attemptStart, end, places, take, text } from "./frames.js";

const never = new AbortController().signal;

function pushAll(hub: InProcessHub, frames: readonly Frame[], conversation = "c"): void {
  for (const frame of frames) hub.push(conversation, frame);
}

describe("the frame buffer", () => {
  it("STR-1 gives a reader that comes late all frames of the turn, and ends with its end frame", async () => {
    const hub = new InProcessHub();
    pushAll(hub, [attemptStart("t", 1), text("t", 1, 1), text("t", 1, 2), end("t", 1, 3)]);
    expect(places(await take(hub.subscribe("c", "t", { signal: never })))).toEqual([
      "1.0",
      "1.1",
      "1.2",
      "end",
    ]);
  });

  it("STR-1 gives a reader that came first the same frames, and none of other turns or conversations", async () => {
    const hub = new InProcessHub();
    const reading = take(hub.subscribe("c", "t", { signal: never }));
    pushAll(hub, [text("other", 1, 0), attemptStart("t", 1)]);
    pushAll(hub, [text("t", 7, 0)], "elsewhere");
    await Promise.resolve();
    pushAll(hub, [text("t", 1, 1), end("t", 1, 2)]);
    expect(places(await reading)).toEqual(["1.0", "1.1", "end"]);
  });

  it("STR-2 lets a new attempt's frames follow, and leaves out what the replaced attempt still sends", async () => {
    const hub = new InProcessHub();
    pushAll(hub, [text("t", 1, 0), text("t", 2, 0), text("t", 1, 1), text("t", 2, 1), end("t", 2, 2)]);
    expect(places(await take(hub.subscribe("c", "t", { signal: never })))).toEqual([
      "1.0",
      "2.0",
      "2.1",
      "end",
    ]);
  });

  it("STR-2 lets the end frame through whichever attempt won, and nothing after it", async () => {
    const hub = new InProcessHub();
    pushAll(hub, [text("t", 1, 0), text("t", 2, 0), end("t", 1, 1), text("t", 3, 0), end("t", 3, 1)]);
    const frames = await take(hub.subscribe("c", "t", { signal: never }));
    expect(places(frames)).toEqual(["1.0", "2.0", "end"]);
    expect(frames.at(-1)?.attempt).toBe(1);
  });

  it("STR-3 leaves out a frame that is pushed a second time", async () => {
    const hub = new InProcessHub();
    pushAll(hub, [text("t", 1, 0), text("t", 1, 1), text("t", 1, 0), text("t", 1, 1), end("t", 1, 2)]);
    expect(places(await take(hub.subscribe("c", "t", { signal: never })))).toEqual(["1.0", "1.1", "end"]);
  });

  it("STR-4 goes on after the reader's cursor, with the end frame even of a lower attempt", async () => {
    const hub = new InProcessHub();
    pushAll(hub, [text("t", 1, 0), text("t", 1, 1), text("t", 2, 0), text("t", 2, 1), end("t", 1, 2)]);
    const from = (attempt: number, seq: number): Promise<readonly Frame[]> =>
      take(hub.subscribe("c", "t", { signal: never, from: { attempt, seq } }));
    expect(places(await from(1, 0))).toEqual(["1.1", "2.0", "2.1", "end"]);
    expect(places(await from(2, 1))).toEqual(["end"]);
  });

  it("STR-5 keeps at most the bytes of a turn, dropping the oldest", async () => {
    const hub = new InProcessHub({ limits: { turnBytes: 2_000 } });
    for (let seq = 0; seq < 50; seq += 1) hub.push("c", text("t", 1, seq, "x".repeat(100)));
    hub.push("c", end("t", 1, 50));
    const kept = await take(hub.subscribe("c", "t", { signal: never }));
    expect(hub.kept.bytes).toBeLessThanOrEqual(2_000);
    expect(places(kept).slice(-2)).toEqual(["1.49", "end"]);
    expect(kept.length).toBeLessThan(20);
  });

  it("STR-5 keeps at most the bytes of all turns, dropping ended turns first", async () => {
    const hub = new InProcessHub({ limits: { totalBytes: 3_000 } });
    hub.push("c", text("running", 1, 0, "x".repeat(500)));
    for (const turn of ["a", "b", "c", "d"])
      pushAll(hub, [text(turn, 1, 0, "x".repeat(500)), end(turn, 1, 1)]);
    expect(hub.kept.bytes).toBeLessThanOrEqual(3_000);
    expect(places(await take(hub.subscribe("c", "running", { signal: never }), 1))).toEqual(["1.0"]);
    expect(places(await take(hub.subscribe("c", "d", { signal: never })))).toEqual(["1.0", "end"]);
  });

  it("STR-6 forgets an ended turn after ten minutes, and a silent one after two hours", () => {
    const minute = 60_000;
    let now = 0;
    const hub = new InProcessHub({ now: () => now });
    pushAll(hub, [end("ended", 1, 0), text("silent", 1, 0)]);
    now = 11 * minute;
    hub.push("c", text("other", 1, 0));
    expect(hub.kept.turns).toBe(2);
    now = 122 * minute;
    hub.push("c", text("other", 1, 1));
    expect(hub.kept.turns).toBe(1);
  });

  it("STR-7 ends reading at the abort, and keeps nothing for a turn that never came", async () => {
    const hub = new InProcessHub();
    const stop = new AbortController();
    const reading = take(hub.subscribe("c", "unknown", { signal: stop.signal }));
    await Promise.resolve();
    stop.abort();
    expect(await reading).toEqual([]);
    expect(hub.kept.turns).toBe(0);
  });

  it("STR-5 goes on with what is left for a reader that was slower than the buffer", async () => {
    const hub = new InProcessHub({ limits: { turnBytes: 1_000 } });
    const reader = hub.subscribe("c", "t", { signal: never });
    hub.push("c", text("t", 1, 0));
    expect(places([(await reader.next()).value as Frame])).toEqual(["1.0"]);
    for (let seq = 1; seq < 40; seq += 1) hub.push("c", text("t", 1, seq, "x".repeat(100)));
    hub.push("c", end("t", 1, 40));
    const rest = places(await take(reader));
    expect(rest.slice(-2)).toEqual(["1.39", "end"]);
    expect(rest.length).toBeLessThan(10);
  });
});

import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type TurnEnding, type TurnStreamOptions, turnStream } from "../../src/client/turn-stream.js";
import { InProcessHub } from "../../src/connection/frame-buffer.js";
import type { TurnResult } from "../../src/core/conversation/messages.js";
import { end, take, text } from "../streaming/frames.js";

const RESULT = { turn_id: "t", digest: "f".repeat(64), attempt: 2 } as TurnResult;

function streamOf(change: Partial<TurnStreamOptions>) {
  const ask = async (): Promise<TurnEnding | undefined> => undefined;
  return turnStream({
    source: undefined,
    conversationId: "c",
    turnId: "t",
    from: undefined,
    signal: undefined,
    ask,
    ...change,
  });
}

describe("a turn's frames for a reader", () => {
  it("STR-44 have a word where a slow reader missed some, and go on with what is kept", async () => {
    const hub = new InProcessHub({ limits: { turnBytes: 1_000 } });
    const reader = streamOf({ source: hub });
    hub.push("c", text("t", 1, 0));
    expect((await reader.next()).value).toMatchObject({ seq: 0 });
    for (let seq = 1; seq < 40; seq += 1) hub.push("c", text("t", 1, seq, "x".repeat(100)));
    hub.push("c", end("t", 1, 40));
    const [word, next, ...rest] = await take(reader);
    if (word?.type !== "missed" || next === undefined) throw new Error("Nothing was said to be missing.");
    expect([word.frames, word.seq]).toEqual([next.seq - 1, next.seq - 1]);
    expect(rest.at(-1)).toEqual(end("t", 1, 40));
  });

  it("STR-44 have it too for one that goes on after a cursor which is no longer kept", async () => {
    const hub = new InProcessHub();
    hub.push("c", text("t", 1, 7));
    hub.push("c", end("t", 1, 8));
    const frames = await take(streamOf({ source: hub, from: { attempt: 1, seq: 3 } }));
    expect(frames).toEqual([
      { turn: "t", attempt: 1, seq: 6, type: "missed", frames: 3 },
      text("t", 1, 7),
      end("t", 1, 8),
    ]);
  });

  it("STR-40 end with how the turn ended where its frames stop", async () => {
    const hub = new InProcessHub();
    hub.push("c", text("t", 1, 0));
    const committed = await take(streamOf({ source: hub, ask: async () => ({ result: RESULT }) }));
    expect(committed).toEqual([
      text("t", 1, 0),
      {
        turn: "t",
        attempt: 2,
        seq: 0,
        type: "end",
        state: "committed",
        digest: RESULT.digest,
        result: RESULT,
      },
    ]);
    const interrupted = await take(streamOf({ source: hub, ask: async () => "interrupted" }));
    expect(interrupted.at(-1)).toEqual({
      turn: "t",
      attempt: 1,
      seq: 1,
      type: "end",
      state: "interrupted",
      digest: null,
    });
  });

  it("STR-40 fail with what asking for the end fails with", async () => {
    const ask = async (): Promise<TurnEnding | undefined> => {
      throw new Error("no such turn");
    };
    await expect(take(streamOf({ source: new InProcessHub(), ask }))).rejects.toThrow("no such turn");
    await expect(take(streamOf({ ask }))).rejects.toThrow("no such turn");
  });

  it("STR-45 are not asked for while they come", async () => {
    const hub = new InProcessHub();
    let asked = 0;
    const ask = async (): Promise<undefined> => void asked++;
    const reading = take(streamOf({ source: hub, ask }));
    for (let seq = 0; seq < 10; seq++) {
      hub.push("c", text("t", 1, seq));
      await delay(300);
    }
    expect(asked).toBe(0);
    await expect.poll(() => asked).toBe(1);
    hub.push("c", end("t", 1, 10));
    expect(await reading).toHaveLength(11);
  });

  it("STR-7 end at the abort without a word", async () => {
    const stop = new AbortController();
    const reading = take(streamOf({ source: new InProcessHub(), signal: stop.signal }));
    setTimeout(() => stop.abort(), 10);
    expect(await reading).toEqual([]);
  });
});

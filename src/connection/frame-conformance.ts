/** What every sink with its source must do, as cases that any test runner can run. Published for authors of sinks. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Frame, FrameCursor, FrameSink, FrameSource, PushedFrame } from "../core/conversation/frame.js";

/** A worker's end and a reader's end that belong together; nothing has been pushed. */
export interface FrameStream {
  readonly sink: FrameSink;
  readonly source: FrameSource;
}

export type OpenFrameStream = () => FrameStream | Promise<FrameStream>;

export interface FrameStreamCase {
  readonly name: string;
  /** Rejects where the stream does not conform. `open` gives a new one each time; the caller closes what it opened. */
  run(open: OpenFrameStream): Promise<void>;
}

/** Longer than any of these readings takes where frames get through. */
const PATIENCE_MS = 10_000;

const text = (turn: string, attempt: number, seq: number): PushedFrame => ({
  turn,
  attempt,
  seq,
  type: "text",
  text: `${turn} ${attempt}.${seq} “Grüße” 🎉\n`,
});

const end = (turn: string, attempt: number, seq: number): PushedFrame => ({
  turn,
  attempt,
  seq,
  type: "end",
  state: "committed",
  digest: "d".repeat(64),
});

const numbered = (turn: string, attempt: number, count: number): readonly PushedFrame[] => [
  ...Array.from({ length: count }, (_, seq) => text(turn, attempt, seq)),
  end(turn, attempt, count),
];

async function pushAll(sink: FrameSink, frames: readonly PushedFrame[], conversation = "c"): Promise<void> {
  for (const frame of frames) sink.push(conversation, frame);
  await sink.flush();
}

/** A reading until its end; fails where that does not come. */
async function read(source: FrameSource, turn: string, from?: FrameCursor): Promise<readonly Frame[]> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const frames: Frame[] = [];
  const options = from === undefined ? { signal } : { signal, from };
  for await (const frame of source.subscribe("c", turn, options)) frames.push(frame);
  assert.ok(!signal.aborted, `the reading of turn ${turn} did not end; it got ${places(frames).join(" ")}`);
  return frames;
}

const places = (frames: readonly FrameCursor[]): readonly string[] =>
  frames.map(({ attempt, seq }) => `${attempt}.${seq}`);

export const FRAME_STREAM_CASES: readonly FrameStreamCase[] = [
  {
    name: "gives a reader that comes late all frames, unchanged and in order, and ends with the end frame",
    async run(open) {
      const { sink, source } = await open();
      const pushed = numbered("t", 1, 200);
      await pushAll(sink, pushed);
      assert.deepEqual(await read(source, "t"), pushed);
    },
  },
  {
    name: "gives a reader that came first the same, while they are pushed",
    async run(open) {
      const { sink, source } = await open();
      const reading = read(source, "t");
      const pushed = numbered("t", 1, 50);
      for (const frame of pushed) {
        sink.push("c", frame);
        await delay(1);
      }
      await sink.flush();
      assert.deepEqual(await reading, pushed);
    },
  },
  {
    name: "keeps turns and conversations apart, whatever their ids are",
    async run(open) {
      const { sink, source } = await open();
      const odd = 'a/b?c=d&e#f "g" %20 ü';
      await pushAll(sink, [text(odd, 1, 0), text("t", 1, 0)]);
      await pushAll(sink, numbered("t", 1, 3), "elsewhere");
      await pushAll(sink, [end("t", 1, 1), end(odd, 1, 1)]);
      assert.deepEqual(await read(source, "t"), [text("t", 1, 0), end("t", 1, 1)]);
      assert.deepEqual(await read(source, odd), [text(odd, 1, 0), end(odd, 1, 1)]);
    },
  },
  {
    name: "shows a frame that is pushed twice once, and nothing that a replaced attempt still sends",
    async run(open) {
      const { sink, source } = await open();
      const { push } = { push: (frame: PushedFrame) => sink.push("c", frame) };
      for (const seq of [0, 1, 0, 1]) push(text("t", 1, seq));
      push(text("t", 2, 0));
      push(text("t", 1, 2));
      push(text("t", 2, 1));
      await pushAll(sink, [end("t", 2, 2)]);
      assert.deepEqual(places(await read(source, "t")), ["1.0", "1.1", "2.0", "2.1", "2.2"]);
    },
  },
  {
    name: "takes an end frame of whichever attempt, and nothing after it",
    async run(open) {
      const { sink, source } = await open();
      await pushAll(sink, [
        text("t", 1, 0),
        text("t", 2, 0),
        end("t", 1, 1),
        text("t", 3, 0),
        end("t", 3, 1),
      ]);
      assert.deepEqual(places(await read(source, "t")), ["1.0", "2.0", "1.1"]);
    },
  },
  {
    name: "goes on after a cursor, nothing twice and nothing left out",
    async run(open) {
      const { sink, source } = await open();
      const pushed = [...numbered("t", 1, 5).slice(0, 5), ...numbered("t", 2, 5)];
      await pushAll(sink, pushed);
      for (const [index, cursor] of pushed.entries())
        assert.deepEqual(await read(source, "t", cursor), pushed.slice(index + 1));
    },
  },
  {
    name: "ends a reading at the abort, also of a turn that nobody knows",
    async run(open) {
      const { sink, source } = await open();
      await pushAll(sink, [text("t", 1, 0)]);
      for (const turn of ["t", "unknown"]) {
        const stop = new AbortController();
        const late = setTimeout(() => stop.abort(), 100);
        for await (const _ of source.subscribe("c", turn, { signal: stop.signal }));
        clearTimeout(late);
      }
    },
  },
  {
    name: "serves a hundred readers of one turn alike, and does not wait for one that stops reading",
    async run(open) {
      const { sink, source } = await open();
      const stop = new AbortController();
      const stalled = source.subscribe("c", "t", { signal: stop.signal })[Symbol.asyncIterator]();
      const first = stalled.next();
      const readings = Array.from({ length: 100 }, () => read(source, "t"));
      const pushed = numbered("t", 1, 200);
      await pushAll(sink, pushed);
      for (const frames of await Promise.all(readings)) assert.deepEqual(frames, pushed);
      assert.equal((await first).done, false);
      stop.abort();
    },
  },
  {
    name: "neither throws from push nor waits in flush for longer than two seconds, open or closed",
    async run(open) {
      const { sink } = await open();
      sink.push("c", { ...text("t", 1, 0), text: "x".repeat(8 * 1024 * 1024) } as PushedFrame);
      const started = performance.now();
      await sink.flush();
      await sink.close?.();
      sink.push("c", text("t", 1, 1));
      await sink.flush();
      assert.ok(performance.now() - started < 3 * 2_500, "flush waits for too long");
    },
  },
  {
    name: "tells which turns begin, those that run first, where it tells at all",
    async run(open) {
      const { sink, source } = await open();
      if (source.turns === undefined) return;
      await pushAll(sink, numbered("over", 1, 1));
      await pushAll(sink, [text("running", 1, 0)]);
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const told: string[] = [];
      for await (const turn of source.turns("c", { signal })) {
        told.push(turn);
        if (turn === "next") break;
        await pushAll(sink, [text("running", 1, 1), ...numbered("other", 1, 1)], "elsewhere");
        await pushAll(sink, [text("next", 1, 0), text("next", 1, 1)]);
      }
      assert.deepEqual(told, ["running", "next"]);
    },
  },
];

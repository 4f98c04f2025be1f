import { afterEach, describe, expect, it } from "vitest";
import { InProcessHub } from "../../src/connection/frame-buffer.js";
import { FRAME_STREAM_CASES, type FrameStream } from "../../src/connection/frame-conformance.js";
import { SseFrameSink } from "../../src/connection/sse-frame-sink.js";
import { SseFrameSource } from "../../src/connection/sse-frame-source.js";
import type { Frame, FrameSink } from "../../src/core/conversation/frame.js";
import { startStreamHub } from "../../src/server/stream-hub.js";

let opened = new AsyncDisposableStack();
afterEach(async () => {
  await opened.disposeAsync();
  opened = new AsyncDisposableStack();
});

const streams: readonly (readonly [string, () => Promise<FrameStream>])[] = [
  [
    "in the process",
    async () => {
      const hub = new InProcessHub();
      return { sink: hub, source: hub };
    },
  ],
  [
    "over HTTP",
    async () => {
      const hub = await startStreamHub();
      opened.defer(() => hub.stop());
      const sink = new SseFrameSink(hub);
      opened.defer(() => sink.close());
      return { sink, source: new SseFrameSource(hub) };
    },
  ],
];

for (const [name, open] of streams)
  describe(`the stream ${name}`, () => {
    for (const conformance of FRAME_STREAM_CASES)
      it(`STR-50 ${conformance.name}`, async () => {
        await expect(conformance.run(open)).resolves.toBeUndefined();
      }, 30_000);
  });

describe("the suite for streams", () => {
  /** How many cases a stream fails whose sink does this to each push. */
  async function failures(
    push: (hub: InProcessHub, conversation: string, frame: Frame) => void,
  ): Promise<number> {
    let failed = 0;
    for (const { name, run } of FRAME_STREAM_CASES) {
      if (name.startsWith("ends a reading") || name.startsWith("neither throws")) continue;
      const hub = new InProcessHub();
      const sink: FrameSink = {
        push: (conversation, frame) => push(hub, conversation, frame),
        flush: () => hub.flush(),
      };
      await run(() => ({ sink, source: hub })).catch(() => failed++);
    }
    return failed;
  }

  it("STR-50 fails a stream that changes frames, mixes conversations, or shows old attempts under new numbers", async () => {
    expect(await failures((hub, id, frame) => hub.push(id, frame))).toBe(0);
    expect(
      await failures((hub, id, frame) =>
        hub.push(id, frame.type === "text" ? { ...frame, text: frame.text.trim() } : frame),
      ),
    ).toBeGreaterThan(3);
    expect(await failures((hub, _, frame) => hub.push("c", frame))).toBeGreaterThan(0);
    expect(await failures((hub, id, frame) => hub.push(id, { ...frame, attempt: 1 }))).toBeGreaterThan(1);
  });
});

import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import { Conversations } from "../../src/client/conversations.js";
import { InProcessHub } from "../../src/connection/frame-buffer.js";
import { Agent } from "../../src/core/agent.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { collect } from "../support/collect.js";
import { startTestProcess } from "../support/process.js";
import { startTestStack, type TestStack } from "../support/stack.js";
import { eventsOf } from "../support/temporal-view.js";

const agent = new Agent({ model: "claude-haiku-4-5", instructions: "Be brief." });
const ANSWER = "word ".repeat(200).trim();

let stack: TestStack;
let conversations: Conversations;
let session: Conversation;

beforeAll(async () => {
  stack = await startTestStack({ bounds: { retryDelaysMs: [10] } });
  conversations = await stack.conversations();
});
afterAll(() => stack.stop());
beforeEach(async () => {
  stack.simulator.reset();
  session = await conversations.start(agent);
});

const shownText = (frames: readonly Frame[], attempt = 1): string =>
  frames
    .filter((frame) => frame.type === "text" && frame.attempt === attempt)
    .map((frame) => (frame.type === "text" ? frame.text : ""))
    .join("");

describe("the frames of a turn", () => {
  it("STR-30 come in order, from the attempt's beginning over its text to the end with the result", async () => {
    stack.simulator.script({ reply: { text: ANSWER }, pace: { minimumReplyMs: 300 } });
    const turn = await session.submit("Stream");
    const frames = await collect(turn.stream());
    expect(frames[0]).toMatchObject({ type: "attempt", provider: "anthropic", simulated: true, seq: 0 });
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, index) => index));
    expect(shownText(frames)).toBe(ANSWER);
    const result = await turn.result();
    expect(frames.at(-1)).toMatchObject({
      type: "end",
      state: "committed",
      digest: result.digest,
      result: { output: ANSWER, turn_id: turn.turnId },
    });
  });

  it("STR-31 cost the event history nothing: it is as long for a hundred chunks as for one", async () => {
    // Workflow tasks may be merged by the server as the moment has it; everything else is exact.
    const eventsAfter = async (): Promise<number> =>
      (await eventsOf(conversations, session.id)).filter(
        ({
          workflowTaskScheduledEventAttributes: scheduled,
          workflowTaskStartedEventAttributes: started,
          workflowTaskCompletedEventAttributes: completed,
        }) => scheduled == null && started == null && completed == null,
      ).length;
    stack.simulator.script({ reply: { text: "short" } });
    await session.run("One chunk");
    const short = await eventsAfter();
    stack.simulator.script({ reply: { text: ANSWER }, pace: { chunkSize: 10 } });
    session = await conversations.start(agent);
    const turn = await session.submit("A hundred chunks");
    expect((await collect(turn.stream())).length).toBeGreaterThan(50);
    expect(await eventsAfter()).toBe(short);
  });

  it("STR-32 are all there for a reader that comes late, or again", async () => {
    stack.simulator.script({ reply: { text: ANSWER }, pace: { minimumReplyMs: 300 } });
    const turn = await session.submit("Stream");
    const left: Frame[] = [];
    for await (const frame of turn.stream()) if (left.push(frame) === 5) break;
    const again = await collect(session.turn(turn.turnId).stream());
    const late = await collect(session.stream({ turnId: turn.turnId }));
    expect(again.slice(0, 5)).toEqual(left);
    expect(late).toEqual(again);
    expect(shownText(late)).toBe(ANSWER);
  });

  it("STR-33 reach readers in other processes", async () => {
    stack.simulator.script({ reply: { text: ANSWER }, pace: { minimumReplyMs: 300 } });
    const turn = await session.submit("Stream");
    const reader = startTestProcess("frames-process.ts", [session.id, turn.turnId], stack);
    const [output] = await Promise.all([text(reader.stdout), once(reader, "exit")]);
    const frames = output
      .trim()
      .split("\n")
      .map((line): Frame => JSON.parse(line));
    expect(frames).toEqual(await collect(turn.stream()));
    expect(shownText(frames)).toBe(ANSWER);
  });

  it("STR-34 end after the commit: whoever asks at the end frame sees the turn committed", async () => {
    for (let index = 0; index < 20; index++) {
      const turn = await session.submit(`question ${index}`);
      for await (const frame of turn.stream()) {
        if (frame.type !== "end") continue;
        expect(await turn.view()).toMatchObject({ state: "committed" });
        expect((await session.status()).run_count).toBe(index + 1);
      }
    }
    expect((await session.messages()).length).toBe(40);
  });

  it("STR-35 say that an attempt failed, and go on with the next one", async () => {
    stack.simulator.script(
      { reply: { text: ANSWER }, fault: { kind: "cut", afterChunks: 3 }, pace: { chunkDelayMs: 40 } },
      { reply: { text: "Whole." } },
    );
    const turn = await session.submit("Stream");
    const frames = await collect(turn.stream());
    const others = frames.filter(({ type }) => type !== "text");
    expect(others.map(({ type, attempt }) => [type, attempt])).toEqual([
      ["attempt", 1],
      ["retry", 1],
      ["attempt", 2],
      ["end", 2],
    ]);
    expect(others[1]).toMatchObject({ error_type: "provider.stream_cut", delay_ms: 10 });
    expect(shownText(frames, 1)).toMatch(/^word /);
    expect(shownText(frames, 2)).toBe("Whole.");
  });

  it("STR-36 end as interrupted where the turn is", async () => {
    stack.simulator.script({ fault: { kind: "status", status: 400, message: "No." } });
    const turn = await session.submit("Stream");
    const frames = await collect(turn.stream());
    expect(frames.at(-1)).toMatchObject({ type: "end", state: "interrupted", digest: null });
    expect(await turn.view()).toMatchObject({ state: "interrupted" });
  });
});

describe("a reader of frames", () => {
  it("STR-39 goes on after the last frame it has, nothing twice and nothing left out, and has read all at the end frame", async () => {
    stack.simulator.script({ reply: { text: ANSWER }, pace: { minimumReplyMs: 300 } });
    const turn = await session.submit("Stream");
    const first: Frame[] = [];
    for await (const frame of turn.stream()) if (first.push(frame) === 5) break;
    const rest = await collect(session.stream(first.at(-1) === undefined ? {} : { from: first[4] as Frame }));
    expect([...first, ...rest]).toEqual(await collect(turn.stream()));
    const [end] = rest.slice(-1);
    expect(await collect(turn.stream({ from: end as Frame }))).toEqual([]);
    const { turn: id, attempt, seq } = end as Frame;
    expect(await collect(turn.stream({ from: { turn: id, attempt, seq } }))).toEqual([]);
  });

  it("STR-39 is refused in one line with a cursor of another turn, or none", async () => {
    const turn = await session.submit("Stream");
    for (const from of [
      { turn: "other", attempt: 1, seq: 0 },
      { turn: turn.turnId, attempt: -1, seq: 0 },
    ])
      await expect(collect(turn.stream({ from }))).rejects.toThrow(
        /^`from` is the last frame that was read of turn .+ leave it out to read from the beginning\.$/,
      );
  });

  it("STR-40 gets an end frame with the digest also where the frames are lost, or no stream is known", async () => {
    const { turnId, digest } = await session.run("question");
    const { connection, namespace, mediaStore, payloadStore } = conversations.settings;
    const streamless = await stack.conversations({
      address: connection.address,
      namespace,
      mediaStore,
      payloadStore,
    });
    const empty = await stack.conversations({ frames: new InProcessHub() });
    for (const place of [streamless, empty]) {
      const frames = await collect((await place.open(session.id)).turn(turnId).stream());
      expect(frames).toMatchObject([{ type: "end", state: "committed", digest, turn: turnId, attempt: 1 }]);
    }
  });

  it("STR-40 of a turn that nobody knows, or that was refused, hears so", async () => {
    await expect(collect(session.turn("unknown").stream())).rejects.toMatchObject({
      code: "ConversationNotFoundError",
    });
    const from = { turn: "nope", attempt: 1, seq: 0 };
    await expect(collect(session.stream({ from }))).rejects.toThrow(
      /^Conversation ".+" has no turn "nope": /,
    );
  });

  it("STR-41 sees the attempt that follows a killed worker, and the digest and attempt that were committed", async () => {
    stack.simulator.script(
      { reply: { text: ANSWER }, pace: { chunkDelayMs: 50 } },
      { reply: { text: "Whole." } },
    );
    const turn = await session.submit("Stream");
    const frames: Frame[] = [];
    let killed = false;
    for await (const frame of turn.stream()) {
      frames.push(frame);
      if (killed || frame.type !== "text") continue;
      killed = true;
      await stack.workers.at(-1)?.kill();
      await stack.startWorker({ HOLDFAST_TEST_BOUNDS: JSON.stringify({ retryDelaysMs: [10] }) });
    }
    const result = await turn.result();
    expect(shownText(frames, 1)).toMatch(/^word/);
    expect(shownText(frames, 2)).toBe("Whole.");
    expect(frames.findLast(({ type }) => type === "attempt")).toMatchObject({ attempt: 2, seq: 0 });
    expect(frames.at(-1)).toMatchObject({ type: "end", attempt: 2, digest: result.digest });
    expect(result).toMatchObject({ output: "Whole.", attempt: 2 });
  });

  it("STR-42 gets the same as a hundred others of one turn, and one that reads nothing holds up nobody", async () => {
    stack.simulator.script({ reply: { text: ANSWER }, pace: { minimumReplyMs: 300 } });
    const turn = await session.submit("Stream");
    const stalled = turn.stream();
    await stalled.next();
    const readings = Array.from({ length: 100 }, () => collect(session.turn(turn.turnId).stream()));
    const [first, ...others] = await Promise.all(readings);
    expect(first?.at(-1)).toMatchObject({ type: "end", result: { output: ANSWER } });
    for (const frames of others) expect(frames).toEqual(first);
    expect((await turn.result()).output).toBe(ANSWER);
    await stalled.return();
  });

  it("STR-43 follows every turn of a conversation from the one that runs on, until it is closed", async () => {
    await session.run("before");
    stack.simulator.script({ reply: { text: ANSWER }, pace: { minimumReplyMs: 500 } });
    const running = await session.submit("running");
    for await (const frame of running.stream()) if (frame.type === "text") break;
    const leaving = new AbortController();
    const followed: string[] = [];
    const texts: string[] = [];
    const following = (async () => {
      for await (const turn of session.turns({ signal: leaving.signal })) {
        followed.push(turn.turnId);
        texts.push(shownText(await collect(turn.stream())));
        if (followed.length === 3) return;
      }
    })();
    const next = [await session.run("one"), await session.run("two")];
    await following;
    expect(followed).toEqual([running.turnId, ...next.map(({ turnId }) => turnId)]);
    expect(texts).toEqual([ANSWER, ...next.map(({ output }) => output)]);
    await session.close();
    await expect(collect(session.turns())).resolves.toEqual([]);
  });
});

describe("an embedded server", () => {
  it("STR-47 gives frames to readers of its process without a socket between them", async () => {
    const folder = await mkdtemp(join(tmpdir(), "holdfast-embedded-"));
    const fetched = vi.spyOn(globalThis, "fetch");
    try {
      await using embedded = await Conversations.connect({
        embedded: true,
        simulate: true,
        cwd: folder,
        env: {},
      });
      const turn = await (await embedded.start(agent)).submit("Stream");
      const frames = await collect(turn.stream());
      expect([frames[0]?.type, frames.at(-1)?.type]).toEqual(["attempt", "end"]);
      const hub = embedded.settings.stream?.url ?? "none";
      expect(fetched.mock.calls.filter(([address]) => String(address).startsWith(hub))).toEqual([]);
    } finally {
      fetched.mockRestore();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  });
});

describe("a conversation with a checkpoint", () => {
  const runCountOf = async (path: string): Promise<number> =>
    parseEnvelope(await readFile(path, "utf8")).envelope.metadata.run_count;

  it("STR-37 has its file written when a turn ends, with a stream and without", async () => {
    const { address } = conversations.settings.connection;
    const { mediaStore, payloadStore, namespace } = conversations.settings;
    const streamless = await stack.conversations({
      ...(address === undefined ? {} : { address }),
      namespace,
      mediaStore,
      payloadStore,
    });
    expect(streamless.settings.stream).toBeNull();
    for (const [index, place] of [conversations, streamless].entries()) {
      const path = join(stack.folder, `checkpoints/${index}.json`);
      const checkpointed = await place.start(agent, { checkpoint: { path } });
      for (let turns = 1; turns <= 8; turns++) {
        const { turnId } = await checkpointed.run(`question ${turns}`);
        expect(await runCountOf(path)).toBe(turns);
        await expect
          .poll(() => checkpointed.turn(turnId).view())
          .toMatchObject({ state: "committed", checkpointed: true });
      }
    }
  });

  it("STR-38 commits and ends all the same where the file cannot be written", async () => {
    const checkpointed = await conversations.start(agent, { checkpoint: { path: stack.folder } });
    const { turnId, output } = await checkpointed.run("question");
    expect(output).toContain("question");
    await expect.poll(async () => (await checkpointed.status()).checkpoint?.error).toMatch(/was not written/);
    expect(await checkpointed.turn(turnId).view()).toMatchObject({ state: "committed", checkpointed: false });
  });
});

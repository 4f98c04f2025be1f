import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { startEmbeddedServer } from "../../src/server/embedded-server.js";
import { collect } from "../support/collect.js";
import { fileStack } from "../support/file-stack.js";
import { AGENT, ANSWER, expectCommittedOnce, startLongTurn } from "../support/long-turn.js";
import { holderOf } from "../support/temporal-view.js";

const { stack, conversations } = await fileStack({ workers: 2 });
let session: Conversation;

beforeEach(async () => {
  session = await conversations.start(AGENT, { checkpoint: { path: "checkpoint.json" } });
});

const attemptsOf = (frames: readonly Frame[]): readonly number[] => [
  ...new Set(frames.map(({ attempt }) => attempt)),
];

describe("a turn whose worker is killed", () => {
  it("WFL-30 in the middle of the answer completes on another worker by itself, with one committed copy", async () => {
    await startLongTurn(stack, session, 1_500);
    const frames = collect(session.turn("t1").stream());
    const killed = await holderOf(conversations, session.id, stack.workers);
    await killed.kill();
    const killedAt = Date.now();
    const result = await session.turn("t1").result();
    expect(Date.now() - killedAt).toBeLessThan(15_000);
    expect(result).toMatchObject({ output: ANSWER, attempt: 2, providerCalls: 2 });
    await expectCommittedOnce(session);
    expect(stack.simulator.counters()).toMatchObject({ calls: 2, finished: 1, clientClosed: 1 });
    const shown = await frames;
    expect(attemptsOf(shown)).toEqual([1, 2]);
    expect(shown.at(-1)).toMatchObject({ type: "end", state: "committed", attempt: 2 });
    await stack.startWorker();
  });

  it("WFL-31 waits for a new worker where there is no other, and its checkpoint then holds it", async () => {
    await startLongTurn(stack, session, 1_500);
    await Promise.all(stack.workers.map((worker) => worker.kill()));
    await Promise.all([stack.startWorker(), stack.startWorker()]);
    expect(await session.turn("t1").result()).toMatchObject({ attempt: 2, providerCalls: 2 });
    await expectCommittedOnce(session);
    const file = parseEnvelope(await readFile(join(stack.folder, "checkpoint.json"), "utf8")).envelope;
    expect(file).toMatchObject({ conversation_id: session.id, metadata: { run_count: 1 } });
  });
});

describe("a worker that is asked to end", () => {
  it("WFL-32 finishes the turn that it holds", async () => {
    await startLongTurn(stack, session, 1_500);
    const holder = await holderOf(conversations, session.id, stack.workers);
    const ended = holder.kill("SIGTERM");
    expect(await session.turn("t1").result()).toMatchObject({ attempt: 1, providerCalls: 1 });
    await expectCommittedOnce(session);
    await ended;
    await stack.startWorker();
  });

  it("WFL-33 hands a turn that lasts longer to another worker, and it is not interrupted", async () => {
    await startLongTurn(stack, session, 9_000);
    const holder = await holderOf(conversations, session.id, stack.workers);
    await holder.kill("SIGTERM");
    stack.simulator.reset();
    stack.simulator.script({ reply: { text: ANSWER } });
    expect(await session.turn("t1").result()).toMatchObject({ attempt: 2, providerCalls: 2 });
    await expectCommittedOnce(session);
    await stack.startWorker();
  });
});

describe("a server that is killed", () => {
  it("WFL-34 and started again on its file has every conversation, and the turn that ran commits once", async () => {
    await startLongTurn(stack, session, 3_000);
    const { server } = stack.stack;
    process.kill(server.pid, "SIGKILL");
    await server.exited;
    await using again = await startEmbeddedServer({
      folder: join(stack.folder, ".holdfast"),
      ports: { grpc: Number(server.address.split(":")[1]) },
    });
    expect(again.address).toBe(server.address);
    expect((await session.turn("t1").result()).output).toBe(ANSWER);
    await expectCommittedOnce(session);
    expect((await session.run("And now?")).messages).toEqual({ from: 2, to: 4 });
    await Promise.all(stack.workers.map((worker) => worker.kill()));
  });
});

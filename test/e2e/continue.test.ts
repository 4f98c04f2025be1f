/** Conversations of many runs, as their callers see them: as one. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Conversation } from "../../src/client/conversation.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { fileStack } from "../support/file-stack.js";
import { replayChain } from "../support/replay.js";
import { type History, historiesOf, startShortRuns } from "../support/short-runs.js";
import { tasksFailedByWorker } from "../support/temporal-view.js";

const { stack, conversations } = await fileStack();

const ids = (count: number, prefix = "t"): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const question = (turnId: string): string => `Question of ${turnId}.`;

async function turnIds(session: Conversation): Promise<readonly string[]> {
  return (await session.inspect()).turn_index.map(({ turn_id }) => turn_id);
}

/** Turns in the order in which the server has recorded that they were accepted; one that was sent again counts once. */
function accepted(histories: readonly History[]): readonly string[] {
  const updates = histories
    .flatMap(({ events }) => events ?? [])
    .flatMap(({ workflowExecutionUpdateAcceptedEventAttributes: update }) =>
      update?.acceptedRequest?.input?.name === "submit_turn" ? (update.protocolInstanceId ?? []) : [],
    );
  return [...new Set(updates)];
}

async function expectWhole(session: Conversation, turns: readonly string[]): Promise<readonly History[]> {
  const histories = await replayChain(conversations, session.id);
  expect(histories.flatMap(({ events }) => tasksFailedByWorker(events ?? []))).toEqual([]);
  const index = await turnIds(session);
  expect([...index].sort()).toEqual([...turns].sort());
  expect(index).toEqual(accepted(histories));
  return histories;
}

/** The storage keys of the arguments with which a run began, in their order. */
function argumentsOf({ events }: History): readonly string[] {
  const { input } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
  return (input?.payloads ?? []).map(
    ({ data }) => /"key":"(\w+\.payload)"/.exec(Buffer.from(data ?? []).toString())?.[1] ?? "inline",
  );
}

describe("a conversation of many runs", () => {
  it("WFL-160 is one to its callers: a handle goes on, every turn is found by its id and none runs twice", async () => {
    const session = await startShortRuns(conversations, { events: 30 });
    for (const turnId of ids(7)) await session.run(question(turnId), { turnId });
    const calls = stack.simulator.calls.length;
    const again = await session.run("Sent again, in a later run.", { turnId: "t0" });
    expect(again.output).toBe((await session.turn("t0").view()).result?.output);
    expect(stack.simulator.calls.length).toBe(calls);
    expect(await session.status()).toMatchObject({ run_count: 7, message_count: 14, state: "idle" });
    for (const turnId of ids(7))
      expect(JSON.stringify(stack.simulator.calls.at(-1)?.body)).toContain(question(turnId));
    const histories = await expectWhole(session, ids(7));
    expect(histories.length).toBeGreaterThan(2);
    for (const { events } of histories) expect(events?.length).toBeLessThan(45);
    await session.close();
    const closed = await conversations.open(session.id);
    expect(await turnIds(closed)).toEqual(ids(7));
  });

  it("WFL-161 answers fifty callers at once, none lost, none twice, in the order of acceptance", async () => {
    const session = await startShortRuns(conversations, { events: 150 });
    await using elsewhere = await stack.conversations();
    const other = await elsewhere.open(session.id);
    const results = await Promise.all(
      ids(50).map((turnId, index) => (index % 2 === 0 ? session : other).run(question(turnId), { turnId })),
    );
    expect(results.map(({ output }, index) => output.includes(question(`t${index}`)))).not.toContain(false);
    const histories = await expectWhole(session, ids(50));
    expect(histories.length).toBeGreaterThan(2);
    expect(stack.simulator.calls.map(({ lastUserText }) => lastUserText)).toEqual(
      accepted(histories).map(question),
    );
  }, 60_000);

  it("WFL-162 is carried over by the worker that is left when one is killed", async () => {
    const session = await startShortRuns(conversations, { events: 60 });
    const answered = Promise.all(ids(24).map((turnId) => session.run(question(turnId), { turnId })));
    for (let round = 0; round < 3; round++) {
      const next = await stack.startWorker();
      await stack.workers
        .filter(({ pid }) => pid !== next.pid)
        .at(-1)
        ?.kill();
      await delay(700);
    }
    expect((await answered).map(({ turnId }) => turnId)).toEqual(ids(24));
    expect((await expectWhole(session, ids(24))).length).toBeGreaterThan(2);
  }, 120_000);

  it("WFL-170 hands sealed segments on as they are: each is stored once, whatever the number of runs", async () => {
    const session = await startShortRuns(conversations, { events: 24 });
    const store = conversations.settings.payloadStore;
    const stored = new Set(await readdir(store));
    const runLong = (turnId: string) => session.run(`${"word ".repeat(14_000)} ${turnId}`, { turnId });
    for (const turnId of ids(6)) await runLong(turnId);
    const [, oldest = ""] = (await historiesOf(conversations, session.id)).map(argumentsOf).at(-1) ?? [];
    const put = (await stat(join(store, oldest))).mtimeMs;
    for (const turnId of ids(9).slice(6)) await runLong(turnId);
    // The store renews the time of a blob that is put again.
    expect((await stat(join(store, oldest))).mtimeMs).toBe(put);
    const histories = await expectWhole(session, ids(9));
    const handed = histories.map(argumentsOf);
    expect(handed.length).toBeGreaterThan(3);
    const sealed = handed.map(([, ...segments]) => segments.slice(0, -1));
    for (const [run, segments] of sealed.entries()) {
      expect(sealed[run + 1]?.slice(0, segments.length) ?? segments).toEqual(segments);
    }
    const last = sealed.at(-1) ?? [];
    expect(last.length).toBeGreaterThan(1);
    expect(last).not.toContain("inline");
    const added = (await readdir(store)).filter((name) => !stored.has(name));
    // Beside the sealed ones at most the tail of each run.
    expect(added.length).toBeLessThanOrEqual(last.length + handed.length);
  }, 90_000);

  it("WFL-300 stores what was said once, outside of the events of its runs, where each run is short of a large segment", async () => {
    const session = await startShortRuns(conversations, { events: 40 });
    const store = conversations.settings.payloadStore;
    const stored = new Set(await readdir(store));
    for (const turnId of ids(12)) await session.run(`${"word ".repeat(2_000)} ${turnId}`, { turnId });
    const histories = await expectWhole(session, ids(12));
    const handed = histories.map(argumentsOf);
    expect(handed.length).toBeGreaterThan(3);
    for (const [run, [head, ...segments]] of handed.entries()) {
      expect(head).toBe("inline");
      expect(segments.slice(0, -1)).not.toContain("inline");
      expect(segments.at(-1)).toBe("inline");
      expect(segments.slice(0, -1)).toEqual(
        handed
          .at(-1)
          ?.slice(1)
          .slice(0, segments.length - 1),
      );
      expect(segments).toHaveLength(run + 1);
    }
    const added = (await readdir(store)).filter((name) => !stored.has(name));
    expect(added.toSorted()).toEqual(handed.at(-1)?.slice(1, -1).toSorted());
    const sizes = await Promise.all(
      added.map(async (name) => (await readFile(join(store, name))).byteLength),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(12 * 10_000);
  }, 90_000);

  it("WFL-171 begins a run with the converted history after a rebind to another provider, while callers wait", async () => {
    const session = await startShortRuns(conversations, {});
    await session.run("First", { turnId: "first" });
    const rebinding = session.rebind("gpt-6-luna");
    const answered = Promise.all(ids(10).map((turnId) => session.run(question(turnId), { turnId })));
    const outcome = await rebinding.then(
      () => "rebound",
      (error: Error) => error.name,
    );
    expect(await answered).toHaveLength(10);
    if (outcome === "RebindRefusedError") await session.rebind("gpt-6-luna");
    const last = await session.run("Last", { turnId: "last" });
    expect(last.model).toBe("gpt-6-luna");
    const histories = await expectWhole(session, ["first", ...ids(10), "last"]);
    expect(histories.length).toBe(2);
    expect((await session.toEnvelope()).converted_from).toBe("anthropic");
  }, 60_000);

  it("WFL-172 keeps its checkpoint: every turn's file is written before its caller hears of it", async () => {
    const path = join(stack.folder, "many-runs.json");
    const session = await startShortRuns(conversations, { events: 40 }, { checkpoint: path });
    for (const [index, turnId] of ids(6).entries()) {
      await session.run(question(turnId), { turnId });
      const { envelope } = parseEnvelope(await readFile(path, "utf8"));
      expect(envelope.metadata.run_count).toBe(index + 1);
    }
    expect((await session.turn("t0").view()).checkpointed).toBe(true);
    expect((await expectWhole(session, ids(6))).length).toBeGreaterThan(1);
  });

  it("WFL-173 can be exported at every moment, and forked at a turn of any run", async () => {
    const session = await startShortRuns(conversations, { events: 60 });
    const done = new AbortController();
    const exporting = (async () => {
      const seen: number[] = [];
      for (; !done.signal.aborted; await delay(20)) {
        const { envelope } = parseEnvelope(await session.toJson());
        expect(envelope.messages.length).toBe(2 * envelope.metadata.run_count);
        seen.push(envelope.metadata.run_count);
      }
      return seen;
    })();
    await Promise.all(ids(20).map((turnId) => session.run(question(turnId), { turnId })));
    done.abort();
    const seen = await exporting;
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect((await historiesOf(conversations, session.id)).length).toBeGreaterThan(2);
    const fork = await session.fork({ at: 2 });
    expect(await turnIds(fork)).toEqual((await turnIds(session)).slice(0, 2));
    expect((await fork.run("And now?")).messages).toEqual({ from: 4, to: 6 });
  }, 60_000);
});

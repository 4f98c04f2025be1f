import { mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ActivityNotFoundError, type Client } from "@temporalio/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CallJournal } from "../../src/activities/journal/call-journal.js";
import { type JournalRecord, recordText } from "../../src/activities/journal/journal-record.js";
import { sealPayload } from "../../src/activities/journal/sealed-payload.js";
import { thisProcess } from "../../src/connection/process-owner.js";
import type { Frame } from "../../src/core/conversation/frame.js";
import { CallRecovery } from "../../src/worker/call-recovery.js";
import { answered, DEAD, ELSEWHERE, PLAIN, REPLY, recorder, recordOf } from "../support/journal-samples.js";

const ID = "0123456789abcdef".repeat(2);

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "holdfast-recovery-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

type Asked = readonly [what: string, request: unknown];

/** A server that knows the call by these, or answers nobody. */
interface Server {
  readonly knows?: readonly ("token" | "id")[];
  readonly down?: boolean;
}

async function scene(server: Server = {}) {
  const asked: Asked[] = [];
  const frames: Frame[] = [];
  const { logger, lines } = recorder();
  const answer = (what: "token" | "id", request: unknown): Promise<void> => {
    asked.push([what, request]);
    if (server.down === true) return Promise.reject(new Error("UNAVAILABLE"));
    if ((server.knows ?? ["token"]).includes(what)) return Promise.resolve();
    return Promise.reject(new ActivityNotFoundError("Not found"));
  };
  const client = {
    options: { namespace: "holdfast", identity: "worker" },
    withDeadline: (_deadline: number, call: () => Promise<void>) => call(),
    activity: {
      complete: (target: unknown, reply: unknown) =>
        answer(target instanceof Uint8Array ? "token" : "id", [target, reply]),
    },
    workflowService: {
      resetStickyTaskQueue: async () => undefined,
      respondActivityTaskFailed: (request: unknown) =>
        answer("token", request).catch((error: unknown) => {
          if (!(error instanceof ActivityNotFoundError)) throw error;
          throw Object.assign(new Error("Not found"), { code: 5, details: "", metadata: {} });
        }),
    },
  } as unknown as Client;
  const journal = await CallJournal.open({ folder: root, place: "here", converter: PLAIN, logger });
  if (journal === undefined) throw new Error("The journal did not open.");
  const sink = { push: (_id: string, frame: Frame) => void frames.push(frame), flush: async () => undefined };
  const recovery = new CallRecovery({ journal, client, frames: sink, logger });
  return { journal, recovery, asked, frames, lines };
}

/** Puts an entry into the journal, written so long ago. */
async function leave(record: JournalRecord, ageMs = 0): Promise<void> {
  const { journal } = await scene();
  journal.folder.writeNow(ID, recordText(record));
  const then = (Date.now() - ageMs) / 1000;
  await utimes(join(root, `${ID}.json`), then, then);
}

const left = async (): Promise<readonly string[]> =>
  (await readdir(root)).filter((name) => name !== "damaged");

describe("what a worker does with the journal of a dead one", () => {
  it("JRN-18 fails a call without a reply by token only, to be made again at once, with its counts", async () => {
    await leave(recordOf());
    const { recovery, asked } = await scene();
    await recovery.look();
    const [[what, request] = []] = asked;
    expect(what).toBe("token");
    expect(asked).toHaveLength(1);
    expect(request).toMatchObject({
      taskToken: new Uint8Array(Buffer.from("token")),
      failure: {
        applicationFailureInfo: { type: "worker.lost", nonRetryable: false, nextRetryDelay: { nanos: 1e6 } },
      },
    });
    const { lastHeartbeatDetails } = request as {
      lastHeartbeatDetails: { payloads: { data: Uint8Array }[] };
    };
    const [beat] = lastHeartbeatDetails.payloads;
    expect(JSON.parse(Buffer.from(beat?.data ?? []).toString())).toEqual({
      attempt: 2,
      calls: 3,
      failures: 1,
    });
    expect(await left()).toEqual([]);
  });

  it("JRN-3 completes a whole reply by token, then tells the readers which attempt it was", async () => {
    await leave(await answered());
    const { recovery, asked, frames } = await scene();
    await recovery.look();
    expect(asked).toEqual([["token", [new Uint8Array(Buffer.from("token")), REPLY]]]);
    expect(frames).toMatchObject([{ type: "end", state: "committed", turn: "t1", attempt: 2, digest: "d2" }]);
    expect(await left()).toEqual([]);
  });

  it("JRN-3 leaves the end frame to the checkpoint where there is one", async () => {
    await leave(await answered({ quiet: true }));
    const { recovery, asked, frames } = await scene();
    await recovery.look();
    expect(asked).toHaveLength(1);
    expect(frames).toEqual([]);
  });

  it.each([
    ["an answer that is sent back", { repair: "Once more." }, []],
    [
      "an answer that does not fit",
      { invalid_output: "No." },
      [{ type: "end", state: "interrupted", digest: null }],
    ],
  ] as const)(
    "OUT-21 tells readers of the end that %s makes of the turn, and of no other",
    async (_, change, told) => {
      const payload = await sealPayload(PLAIN, { ...REPLY, ...change });
      await leave(await answered({ reply: { digest: "d2", payload } }));
      const { recovery, asked, frames } = await scene();
      await recovery.look();
      expect([asked.length, frames]).toMatchObject([1, told]);
    },
  );

  it("JRN-4 completes a whole reply by id, in its run, where the token is out of date", async () => {
    await leave(await answered());
    const { recovery, asked } = await scene({ knows: ["id"] });
    await recovery.look();
    expect(asked.map(([what]) => what)).toEqual(["token", "id"]);
    expect(asked[1]?.[1]).toEqual([{ workflowId: "review", runId: "run", activityId: "7" }, REPLY]);
    expect(await left()).toEqual([]);
  });

  it.each([
    ["a reply", true],
    ["no reply", false],
  ])("JRN-5 forgets a call that the server no longer knows (%s)", async (_, has) => {
    await leave(has ? await answered() : recordOf());
    const { recovery, frames, lines } = await scene({ knows: [] });
    await recovery.look();
    expect(await left()).toEqual([]);
    expect(frames).toEqual([]);
    expect(lines).toEqual([]);
  });

  it("JRN-14 acts once, however many look at the same time", async () => {
    await leave(await answered());
    const scenes = await Promise.all([scene(), scene(), scene()]);
    await Promise.all(scenes.map(({ recovery }) => recovery.look()));
    expect(scenes.flatMap(({ asked }) => asked)).toHaveLength(1);
  });

  it("JRN-15 keeps the entry where the server does not answer, and tries again", async () => {
    await leave(await answered());
    const down = await scene({ down: true });
    await down.recovery.look();
    expect(await left()).toEqual([`${ID}.json`]);
    const up = await scene();
    await up.recovery.look();
    expect(up.asked).toHaveLength(1);
    expect(await left()).toEqual([]);
  });

  it("JRN-15 delivers what its own process has given up", async () => {
    await leave(await answered({ owner: null }));
    const { recovery, asked } = await scene();
    await recovery.look();
    expect(asked).toHaveLength(1);
  });

  it("JRN-16 leaves a call alone whose owner lives", async () => {
    await leave(await answered({ owner: thisProcess() }), 60_000);
    const { recovery, asked } = await scene();
    await recovery.look();
    await recovery.look();
    expect(asked).toEqual([]);
    expect(await left()).toEqual([`${ID}.json`]);
  });

  it("JRN-16 of an owner that cannot be seen from here delivers the reply after five seconds and never fails a call", async () => {
    const { recovery, asked } = await scene();
    await leave(recordOf({ owner: ELSEWHERE }), 60_000);
    await recovery.look();
    await leave(await answered({ owner: ELSEWHERE }), 1_000);
    await recovery.look();
    expect(asked).toEqual([]);
    await leave(await answered({ owner: ELSEWHERE }), 6_000);
    await recovery.look();
    expect(asked.map(([what]) => what)).toEqual(["token"]);
  });

  it("JRN-17 leaves the calls of another server alone, and forgets every call after two hours", async () => {
    const { recovery, asked } = await scene();
    await leave(recordOf({ place: "elsewhere" }), 60_000);
    await recovery.look();
    expect(await left()).toEqual([`${ID}.json`]);
    await leave(recordOf({ place: "elsewhere" }), 3 * 3_600_000);
    await recovery.look();
    expect(await left()).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("JRN-6 moves a damaged entry aside with one line, and leaves one of a later release", async () => {
    const { journal, recovery, asked, lines } = await scene();
    journal.folder.writeNow(ID, `${recordText(recordOf())}`.slice(0, 200));
    const unreadable = { digest: "d2", payload: { metadata: {}, data: "" } };
    journal.folder.writeNow("b".repeat(32), recordText(recordOf({ owner: DEAD, reply: unreadable })));
    const newer = { ...recordOf(), version: 2 } as unknown as JournalRecord;
    journal.folder.writeNow("c".repeat(32), recordText(newer));
    await recovery.look();
    await recovery.look();
    expect(asked).toEqual([]);
    const said = lines.map(({ level, message }) => `${level} ${/damaged \((.*?)\)/.exec(message)?.[1]}`);
    expect(said.sort()).toEqual(["WARN it is damaged", "WARN its reply cannot be decoded"]);
    expect(await left()).toEqual([`${"c".repeat(32)}.json`]);
  });

  it.each([
    { over_budget: { error_type: "budget.tokens", error: "No more." } as const },
    { round_limit: 50 },
  ])("BUD-4 tells the readers that a turn has ended whose tools are not run: %j", async (why) => {
    const tool_calls = [{ id: "c1", name: "add", arguments: {} }];
    await leave(await answered({}, { ...REPLY, tool_calls, ...why }));
    const { recovery, frames } = await scene();
    await recovery.look();
    expect(frames).toMatchObject([{ type: "end", state: "interrupted", digest: null }]);
  });
});

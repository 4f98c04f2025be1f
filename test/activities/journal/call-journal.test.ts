import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallJournal, type JournalOptions } from "../../../src/activities/journal/call-journal.js";
import { readRecord } from "../../../src/activities/journal/journal-record.js";
import type { OpenCall } from "../../../src/activities/journal/open-call.js";
import { CALL_INPUT, CODED, PLAIN, REPLY, type Recorder, recorder } from "../../support/journal-samples.js";

let root = "";
let recorded: Recorder;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "holdfast-journal-"));
  recorded = recorder();
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function open(change: Partial<JournalOptions> = {}): Promise<CallJournal> {
  const { logger } = recorded;
  const folder = join(root, "journal");
  const journal = await CallJournal.open({ folder, place: "here", converter: PLAIN, logger, ...change });
  if (journal === undefined) throw new Error("The journal did not open.");
  return journal;
}

function begin(journal: CallJournal, token = "token"): OpenCall {
  const progress = { attempt: 2, calls: 1, failures: 1 };
  return journal.begin(CALL_INPUT, { taskToken: Buffer.from(token), activityId: "7", progress });
}

const files = async (): Promise<readonly string[]> =>
  (await readdir(join(root, "journal"))).filter((name) => name.endsWith(".json"));
const onlyEntry = async (): Promise<unknown> => {
  const [name = ""] = await files();
  return readRecord(await readFile(join(root, "journal", name), "utf8"));
};

describe("the journal of a worker", () => {
  it("JRN-12 holds a call from its start to its end, with its counts and then its reply", async () => {
    const call = begin(await open());
    expect(await onlyEntry()).toMatchObject({
      owner: { pid: process.pid },
      conversation_id: "review",
      run_id: "run",
      activity_id: "7",
      turn_id: "t1",
      progress: { attempt: 2, calls: 1, failures: 1 },
    });
    call.progressed({ attempt: 2, calls: 2, failures: 1 });
    expect(await onlyEntry()).toMatchObject({ progress: { calls: 2 } });
    await call.answered(REPLY);
    expect(await onlyEntry()).toMatchObject({ reply: { digest: "d2" } });
    call.ended();
    await vi.waitFor(async () => expect(await files()).toEqual([]));
  });

  it("JRN-10 shows nothing of a reply where a payload codec is on", async () => {
    const call = begin(await open({ converter: CODED }));
    await call.answered(REPLY);
    const [name = ""] = await files();
    const text = await readFile(join(root, "journal", name), "utf8");
    expect(text).not.toContain("Clause");
    expect(text).not.toContain(Buffer.from("Clause 4").toString("base64").slice(0, 10));
  });

  it("JRN-13 is bounded in entries, those of others counted, and says once that it is full", async () => {
    const journal = await open({ maxEntries: 3 });
    journal.othersHold({ entries: 1, bytes: 0 });
    const calls = ["a", "b", "c", "d"].map((token) => begin(journal, token));
    expect(await files()).toHaveLength(2);
    expect(recorded.lines).toMatchObject([
      { level: "WARN", message: expect.stringMatching(/full of calls.*HOLDFAST_JOURNAL/) },
    ]);
    for (const call of calls) call.ended();
    await vi.waitFor(async () => expect(await files()).toEqual([]));
  });

  it("JRN-13 is bounded in bytes: a reply that does not fit leaves the call in flight", async () => {
    const journal = await open({ maxBytes: 3_000 });
    const call = begin(journal);
    await call.answered({ ...REPLY, raw_usage: "x".repeat(5_000) });
    expect(await onlyEntry()).not.toHaveProperty("reply");
    expect(recorded.lines).toHaveLength(1);
  });

  it("JRN-7 that stops working is said once, and no call fails for it", async () => {
    const journal = await open();
    await rm(join(root, "journal"), { recursive: true });
    await writeFile(join(root, "journal"), "no folder any more");
    for (const token of ["a", "b"]) {
      const call = begin(journal, token);
      await call.answered(REPLY);
      call.ended();
    }
    expect(recorded.lines).toMatchObject([{ level: "WARN" }]);
  });

  it("JRN-340 makes its folder again that was deleted under it, for a call in flight as for the next one", async () => {
    const journal = await open();
    const calls = ["a", "b"].map((token) => begin(journal, token));
    await rm(join(root, "journal"), { recursive: true });
    await calls[0]?.answered(REPLY);
    expect(await onlyEntry()).toMatchObject({ activity_id: "7", reply: { digest: "d2" } });
    expect((await stat(join(root, "journal"))).mode & 0o777).toBe(0o700);
    await calls[1]?.answered(REPLY);
    for (const call of calls) call.ended();
    await rm(join(root, "journal"), { recursive: true });
    begin(journal, "c");
    expect(await onlyEntry()).toMatchObject({ progress: { calls: 1 } });
    expect(recorded.lines).toEqual([]);
  });

  it("JRN-7 on a full disk says so once, and no call fails for it", async () => {
    const journal = await open();
    vi.spyOn(journal.folder, "writeNow").mockImplementation(() => {
      throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    });
    for (const token of ["a", "b"]) begin(journal, token).ended();
    expect(recorded.lines).toMatchObject([{ message: expect.stringContaining("the disk is full") }]);
  });

  it("JRN-7 is said in one line where it cannot be opened", async () => {
    await writeFile(join(root, "journal"), "no folder");
    const { logger } = recorded;
    const options = { folder: join(root, "journal"), place: "here", converter: PLAIN, logger };
    expect(await CallJournal.open(options)).toBeUndefined();
    expect(recorded.lines).toHaveLength(1);
  });

  it("JRN-15 leaves a reply that could not be delivered to whoever comes next", async () => {
    const journal = await open();
    const call = begin(journal);
    await call.answered(REPLY);
    expect(journal.holds(call.id)).toBe(true);
    await call.givenUp();
    call.ended();
    expect(journal.holds(call.id)).toBe(false);
    expect(await onlyEntry()).toMatchObject({ owner: null, reply: { digest: "d2" } });
  });
});

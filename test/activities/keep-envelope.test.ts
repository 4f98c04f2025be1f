import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkpoint, keepEnvelope } from "../../src/activities/keep-envelope.js";
import { ClosedConversations } from "../../src/connection/closed-conversations.js";
import type { ConversationState } from "../../src/core/conversation/state.js";
import { interruptTurn } from "../../src/core/conversation/turn.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { activityStage, activityWorld } from "../support/activity-world.js";
import { committed, freshConversation, running } from "../support/conversation-samples.js";
import { SAMPLE_TIME } from "../support/envelope-samples.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-keep-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const two = committed(committed(freshConversation(), "a"), "b");

async function writeCheckpoint(state: ConversationState, turnId: string, path = join(folder, "review.json")) {
  const world = activityWorld();
  const stage = activityStage({ state: () => state });
  const input = { conversation_id: "review", run_id: "run", path, turn_id: turnId };
  const outcome: unknown = await stage.environment
    .run(() => checkpoint(world.dependencies, input))
    .catch((error: unknown) => error);
  return { outcome, path, frames: world.frames, stage };
}

describe("the checkpoint activity", () => {
  it("ACT-48 writes the envelope, then sends the turn's end frame behind all others of its attempt", async () => {
    const { outcome, path, frames, stage } = await writeCheckpoint(two, "b");
    expect(outcome).toEqual({ run_count: 2 });
    const { envelope } = parseEnvelope(await readFile(path, "utf8"));
    expect(envelope).toMatchObject({ conversation_id: "review", metadata: { run_count: 2 } });
    expect(frames).toMatchObject([
      { type: "end", turn: "b", state: "committed", attempt: 1, result: { output: "Answer" } },
    ]);
    expect(frames[0]?.seq).toBeGreaterThan(1_000_000);
    expect(stage.beats.length).toBeGreaterThan(0);
  });

  it("ACT-49 writes after a turn that failed, too, and says how it ended", async () => {
    const failure = { error_type: "provider.network", error: "No answer." };
    const state = interruptTurn(running(two, "c"), failure, SAMPLE_TIME);
    const { path, frames } = await writeCheckpoint(state, "c");
    expect(parseEnvelope(await readFile(path, "utf8")).envelope.interrupted_turn?.turn_id).toBe("c");
    expect(frames).toMatchObject([{ type: "end", state: "interrupted", digest: null }]);
  });

  it("ACT-50 fails for good, in one line with the path, where it cannot write; the end frame comes all the same", async () => {
    await writeFile(join(folder, "file"), "no folder");
    const path = join(folder, "file", "review.json");
    const { outcome, frames } = await writeCheckpoint(two, "b", path);
    expect(outcome).toMatchObject({
      type: "checkpoint.failed",
      nonRetryable: true,
      message: expect.stringMatching(/^The checkpoint .*review\.json was not written: .*not a folder/),
    });
    expect(frames).toMatchObject([{ type: "end", state: "committed" }]);
  });

  it("ACT-51 keeps a file that holds more turns of the conversation", async () => {
    const { path } = await writeCheckpoint(committed(two, "c"), "c");
    const { outcome } = await writeCheckpoint(two, "b");
    expect(outcome).toMatchObject({ type: "checkpoint.failed", message: expect.stringContaining("3 turns") });
    expect(parseEnvelope(await readFile(path, "utf8")).envelope.metadata.run_count).toBe(3);
    expect(await readdir(folder)).toEqual(["review.json"]);
  });
});

describe("the activity that keeps the last envelope", () => {
  it("ACT-52 keeps it where it can be opened and listed", async () => {
    const mediaStore = new DirectoryMediaStore(folder);
    const { dependencies } = activityWorld(undefined, { mediaStore, closedFolder: folder });
    const stage = activityStage({ state: () => two });
    await stage.environment.run(() =>
      keepEnvelope(dependencies, { conversation_id: "review", run_id: "run" }),
    );
    const closed = new ClosedConversations(mediaStore, folder);
    expect((await closed.open("review"))?.metadata.run_count).toBe(2);
    expect(await closed.list()).toMatchObject([{ conversation_id: "review", run_count: 2 }]);
  });

  it("ACT-53 may be tried again where it fails, and does nothing for a store without a folder", async () => {
    await writeFile(join(folder, "closed"), "no folder");
    const mediaStore = new DirectoryMediaStore(folder);
    const { dependencies } = activityWorld(undefined, { mediaStore, closedFolder: folder });
    const run = () =>
      activityStage({ state: () => two }).environment.run(() =>
        keepEnvelope(dependencies, { conversation_id: "review", run_id: "run" }),
      );
    await expect(run()).rejects.toMatchObject({ type: "envelope.not_kept", nonRetryable: false });
    const stage = activityStage({ state: () => two });
    const nowhere = activityWorld();
    await stage.environment.run(() =>
      keepEnvelope(nowhere.dependencies, { conversation_id: "review", run_id: "run" }),
    );
    expect(stage.asked).toEqual([]);
  });
});

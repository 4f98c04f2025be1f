import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkpoint, keepEnvelope } from "../../src/activities/keep-envelope.js";
import { closedState } from "../../src/client/closed-state.js";
import { ClosedConversations } from "../../src/connection/closed-conversations.js";
import { savedEnvelope } from "../../src/connection/export-envelope.js";
import type { NamedStores } from "../../src/connection/open-media-store.js";
import type { AgentSpec } from "../../src/core/agent.js";
import { envelopeOf } from "../../src/core/conversation/export.js";
import type { ConversationState } from "../../src/core/conversation/state.js";
import { commitTurn, interruptTurn } from "../../src/core/conversation/turn.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { activityStage, activityWorld } from "../support/activity-world.js";
import { answerTo, committed, freshConversation, running } from "../support/conversation-samples.js";
import { SAMPLE_TIME } from "../support/envelope-samples.js";
import { keyOfBytes, PDF } from "../support/stored-files.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-keep-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const KEY = keyOfBytes(PDF, "application/pdf");

/** A conversation of one turn with a file, under an agent with these settings, and the store that has the file. */
async function withAttachment(change: Partial<AgentSpec>) {
  const fresh = freshConversation();
  const agent = { ...fresh.head.agent, name: undefined, ...change } as AgentSpec;
  const started = running({ ...fresh, head: { ...fresh.head, agent } }, "a", {
    files: [
      { marker: `$media:${KEY}`, mime_type: "application/pdf", size_bytes: PDF.length, name: "contract.pdf" },
    ],
  });
  const file = { mime_type: "application/pdf", name: "contract.pdf", data: `$media:${KEY}` };
  const messages = [
    dialectFor("anthropic").userMessage("Read it.", [file]),
    { role: "assistant", content: "Read." },
  ];
  const store = new MemoryMediaStore();
  await store.put(KEY, PDF);
  return { store, state: commitTurn(started, answerTo(started, { messages }), SAMPLE_TIME) };
}

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

describe("the media of a checkpoint", () => {
  async function written(change: Partial<AgentSpec>, stores: NamedStores = {}) {
    const { state, store } = await withAttachment(change);
    const world = activityWorld(undefined, { mediaStore: store, stores });
    const stage = activityStage({ state: () => state });
    const path = join(folder, "review.json");
    const input = { conversation_id: "review", run_id: "run", path, turn_id: "a" };
    await stage.environment.run(() => checkpoint(world.dependencies, input));
    return parseEnvelope(await readFile(path, "utf8")).envelope;
  }

  it("MED-232 is inline without a store, and externalized into the folder or the registered store that the agent names", async () => {
    const inline = await written({});
    expect(inline).toMatchObject({ media_policy: "inline", media: {} });
    const media_store = join(folder, "media");
    const external = await written({ media_store });
    expect(external).toMatchObject({ media_policy: "externalize" });
    expect(await readdir(media_store)).toEqual([KEY]);
    expect(JSON.stringify(external.messages)).toContain(`$media:${KEY}`);
    const archive = new MemoryMediaStore();
    await written({ media_store: "archive" }, { archive });
    expect(await archive.get(KEY)).toEqual(PDF);
    expect((await written({ media_policy: "strip" })).media_policy).toBe("strip");
  });

  it("MED-232 is refused, and told, where the agent's store is not known to the worker", async () => {
    await expect(written({ media_store: "archive" })).rejects.toMatchObject({
      type: "checkpoint.failed",
      message: expect.stringMatching(/review\.json was not written: No media store named "archive"/),
    });
  });

  it("MED-233 of a closed conversation are named in the working store, where its last envelope lies", async () => {
    const { state } = await withAttachment({});
    const mediaStore = new DirectoryMediaStore(folder);
    await mediaStore.put(KEY, PDF);
    const { dependencies } = activityWorld(undefined, { mediaStore, closedFolder: folder });
    const stage = activityStage({ state: () => state });
    await stage.environment.run(() =>
      keepEnvelope(dependencies, { conversation_id: "review", run_id: "run" }),
    );
    const kept = await new ClosedConversations(mediaStore, folder).open("review");
    expect(JSON.stringify(kept?.messages)).toContain(`$media:${KEY}`);
    if (kept === undefined) throw new Error("nothing was kept");
    const closed = envelopeOf(await closedState(kept, mediaStore), SAMPLE_TIME);
    const stores = { working: mediaStore, target: undefined };
    const saved = await savedEnvelope(closed, { policy: "inline", maxInlineBytes: null }, stores);
    expect(JSON.stringify(saved)).toContain(Buffer.from(PDF).toString("base64"));
    const old = await closedState(saved, new MemoryMediaStore());
    expect(envelopeOf(old, SAMPLE_TIME).messages).toEqual(closed.messages);
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

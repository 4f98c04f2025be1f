import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Payload } from "@temporalio/common";
import { RawValue } from "@temporalio/common";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { convertConversation, previewConversion } from "../../../src/activities/convert-conversation.js";
import type { ActivityDependencies } from "../../../src/activities/dependencies.js";
import { checkpoint, keepEnvelope } from "../../../src/activities/keep-envelope.js";
import type { WorkThreads } from "../../../src/activities/threads/work-threads.js";
import { ClosedConversations } from "../../../src/connection/closed-conversations.js";
import { Agent } from "../../../src/core/agent.js";
import type { ConversationState } from "../../../src/core/conversation/state.js";
import { parseEnvelope } from "../../../src/core/envelope/parse-envelope.js";
import type { MediaStore } from "../../../src/core/media/media-store.js";
import { DirectoryMediaStore } from "../../../src/media-stores/directory-media-store.js";
import { MemoryMediaStore } from "../../../src/media-stores/memory-media-store.js";
import { providerSettings } from "../../../src/providers/settings.js";
import { activityStage, activityWorld } from "../../support/activity-world.js";
import { committed, freshConversation } from "../../support/conversation-samples.js";
import { sourceThreads } from "../../support/source-threads.js";

const settings = providerSettings({ HOLDFAST_SIMULATOR_URL: "http://127.0.0.1:1" });
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const NOTES = Buffer.from("Call them on Monday.");
const notesKey = `${createHash("sha256").update(NOTES).digest("hex")}.txt`;

let threads: WorkThreads;
let folder = "";
beforeAll(() => {
  threads = sourceThreads({ providers: settings, threads: 1 });
});
afterAll(() => threads.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-pages-"));
  // Only Date: what is written bears the time, and has to be comparable.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-30T10:00:00Z") });
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true, force: true });
});

/** Some 2 MiB of turns: thinking, a tool round, a picture inline, a text file as marker, and half a character. */
const LONG: ConversationState = Array.from({ length: 48 }, (_, turn) => turn).reduce(
  (state, turn) =>
    committed(state, `turn-${turn}`, {
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: PICTURE } },
            {
              type: "document",
              source: { type: "base64", media_type: "text/plain", data: `$media:${notesKey}` },
            },
            { type: "text", text: `Question ${turn} \ud83d ${"q".repeat(20_000)}` },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: `sig-${turn}` },
            { type: "tool_use", id: `toolu_${turn}_${"x".repeat(60)}`, name: "look_up", input: { turn } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: `toolu_${turn}_${"x".repeat(60)}`, content: "Payment." },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "Zürich ".repeat(3_500) }] },
      ],
    }),
  freshConversation(),
);

async function storeOf(): Promise<MemoryMediaStore> {
  const store = new MemoryMediaStore();
  await store.put(notesKey, NOTES);
  return store;
}

/** The work, in a thread and on the main loop. */
async function both<T>(
  work: (dependencies: ActivityDependencies) => Promise<T>,
  stores: { readonly inside: MediaStore; readonly outside: MediaStore },
  state: ConversationState = LONG,
): Promise<readonly [inside: T, outside: T]> {
  const run = (dependencies: Partial<ActivityDependencies>): Promise<T> => {
    const world = activityWorld(undefined, { closedFolder: folder, ...dependencies });
    return activityStage({ state: () => state }).environment.run(() =>
      work(world.dependencies),
    ) as Promise<T>;
  };
  const before = threads.tasks;
  const inside = await run({ mediaStore: stores.inside, threads });
  expect(threads.tasks).toBe(before + 1);
  return [inside, await run({ mediaStore: stores.outside })];
}

const input = (model: string) => ({
  conversation_id: "review",
  run_id: "run",
  agent: new Agent({ model, instructions: "Be brief." }).spec,
});

describe("a conversation above 1 MiB", () => {
  it.each(["gpt-6-luna", "gemini-3.5-flash", "accounts/fireworks/models/kimi-k3"])(
    "ACT-68 is converted in a thread, byte for byte as on the main loop: %s",
    async (model) => {
      const stores = { inside: await storeOf(), outside: await storeOf() };
      const [inside, outside] = await both((given) => convertConversation(given, input(model)), stores);
      expect(inside).toBeInstanceOf(RawValue);
      const { payload } = inside as unknown as { readonly payload: Payload };
      expect(Buffer.from(payload.data ?? []).equals(Buffer.from(JSON.stringify(outside)))).toBe(true);
      expect(Buffer.from(payload.metadata?.encoding ?? []).toString()).toBe("json/plain");
      expect(outside.report.length).toBeGreaterThan(40);
      const [key] = Object.values(outside.media).flatMap(({ ref = "" }) =>
        ref.endsWith(".png") ? [ref] : [],
      );
      expect(await stores.inside.get(key ?? "")).toEqual(await stores.outside.get(key ?? ""));
      expect((await stores.inside.get(key ?? ""))?.byteLength).toBeGreaterThan(60);
    },
  );

  it("ACT-68 is previewed in a thread as on the main loop", async () => {
    const stores = { inside: await storeOf(), outside: await storeOf() };
    const [inside, outside] = await both((given) => previewConversion(given, input("gpt-6-luna")), stores);
    expect(inside).toEqual(outside);
    expect(inside.message_count).toBeGreaterThan(150);
  });

  it("ACT-69 fails in a thread with the class and the words of the main loop", async () => {
    const failing = async (given: ActivityDependencies): Promise<unknown> =>
      convertConversation({ ...given, convert: false }, input("gpt-6-luna")).catch((error: unknown) => error);
    const stores = { inside: await storeOf(), outside: await storeOf() };
    const [inside, outside] = (await both(failing, stores)) as readonly [Error, Error];
    expect(inside).toMatchObject({ type: "SessionCompatibilityError", nonRetryable: true });
    expect(inside.message).toBe(outside.message);
    const broken = { put: async () => undefined, get: () => Promise.reject(new Error("out of reach")) };
    const [unread] = await both(
      (given) => convertConversation(given, input("gpt-6-luna")).catch((error: unknown) => error),
      { inside: broken, outside: broken },
    );
    expect(unread).toMatchObject({ type: "worker.error", nonRetryable: false, message: "out of reach" });
  });

  it("ACT-70 is written to its checkpoint and kept when it closes, byte for byte as on the main loop", async () => {
    const paths = [join(folder, "inside.json"), join(folder, "outside.json")];
    const stores = { inside: await storeOf(), outside: await storeOf() };
    const write = (given: ActivityDependencies): Promise<unknown> => {
      const path = paths[given.threads === undefined ? 1 : 0] ?? "";
      return checkpoint(given, { conversation_id: "review", run_id: "run", path, turn_id: "turn-0" });
    };
    const [inside, outside] = await both(write, stores);
    expect(inside).toEqual({ run_count: 48 });
    expect(outside).toEqual(inside);
    const [first, second] = await Promise.all(paths.map((path) => readFile(path, "utf8")));
    expect(first === second).toBe(true);
    expect(parseEnvelope(first ?? "").envelope.messages).toHaveLength(192);

    const store = new DirectoryMediaStore(folder);
    await store.put(notesKey, NOTES);
    const closed = new ClosedConversations(store, folder);
    const keys: (string | undefined)[] = [];
    await both(
      async (given) => {
        await keepEnvelope(given, { conversation_id: "review", run_id: "run" });
        keys.push((await closed.find("review"))?.envelope);
      },
      { inside: store, outside: store },
    );
    expect(keys[0]).toMatch(/\.json$/);
    expect(keys[1]).toBe(keys[0]);
    expect((await closed.open("review"))?.metadata.run_count).toBe(48);
  });

  it("ACT-71 counts the media that it names, and stays on the main loop when it is small", async () => {
    const store = await storeOf();
    const world = activityWorld(undefined, { mediaStore: store, threads });
    const preview = (state: ConversationState): Promise<unknown> =>
      activityStage({ state: () => state }).environment.run(() =>
        previewConversion(world.dependencies, input("gpt-6-luna")),
      );
    const small = committed(freshConversation(), "a");
    const before = threads.tasks;
    await preview(small);
    expect(threads.tasks).toBe(before);
    const entry = { mime_type: "application/pdf", size_bytes: 3 * 1024 * 1024, ref: `${"a".repeat(64)}.pdf` };
    const media = [["a".repeat(64), entry] as const];
    await preview({ ...small, tail: { ...small.tail, media } });
    expect(threads.tasks).toBe(before + 1);
  });
});

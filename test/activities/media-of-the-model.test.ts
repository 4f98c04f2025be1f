import { describe, expect, it } from "vitest";
import { callProvider } from "../../src/activities/model-call.js";
import { TurnFrames } from "../../src/activities/turn-frames.js";
import type { MediaStore } from "../../src/core/media/media-store.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { providerSettings } from "../../src/providers/settings.js";
import { activityWorld, callInput, replyOf } from "../support/activity-world.js";
import { freshConversation } from "../support/conversation-samples.js";
import { keyOfBytes, PNG, sha256Of } from "../support/stored-files.js";

const key = keyOfBytes(PNG, "image/png");
const result = Buffer.from(PNG).toString("base64");
const picture = { type: "image_generation_call", id: "ig_1", status: "completed", result };

async function answered(mediaStore: MediaStore) {
  const { dependencies } = activityWorld(async () => ({ ...replyOf(), messages: [picture] }), {
    mediaStore,
    providerSettings: providerSettings({ OPENAI_API_KEY: "sk-test" }),
  });
  const state = freshConversation({ agent: { model: "gpt-6-luna" } });
  const call = await callProvider(dependencies, {
    input: callInput(state),
    transcript: {
      agent: { ...state.head.agent, model: "gpt-6-luna" },
      system: null,
      served: [],
      messages: [],
    },
    frames: new TurnFrames(dependencies.frames, { conversation: "review", turn: "t", attempt: 1 }),
    attempt: 1,
    signal: new AbortController().signal,
    onCall: () => 1,
  });
  return call.result;
}

describe("media that the model made", () => {
  it("MED-211 go into the working store, their markers and the table's entry into the turn", async () => {
    const store = new MemoryMediaStore();
    const { messages, media } = await answered(store);
    expect(messages.at(-1)).toEqual({ ...picture, result: `$media:${key}` });
    expect(media).toEqual({
      [sha256Of(PNG)]: { mime_type: "image/png", size_bytes: PNG.length, ref: key },
    });
    expect(await store.get(key)).toEqual(PNG);
  });

  it("MED-211 stay in the answer where the store does not take them", async () => {
    const full = { get: async () => undefined, put: () => Promise.reject(new Error("No space left.")) };
    const { messages, media } = await answered(full);
    expect(messages.at(-1)).toEqual(picture);
    expect(media).toBeUndefined();
  });
});

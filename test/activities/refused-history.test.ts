import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { callProvider } from "../../src/activities/model-call.js";
import { TurnFrames } from "../../src/activities/turn-frames.js";
import type { AgentSpec } from "../../src/core/agent.js";
import type { NativeMessage } from "../../src/core/envelope/envelope.js";
import { ProviderFailure } from "../../src/core/errors/provider-failure.js";
import { EMPTY_ROOT, extendRoot } from "../../src/core/hash.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import type { ModelRequest } from "../../src/providers/provider.js";
import { activityWorld, callInput } from "../support/activity-world.js";
import { freshConversation } from "../support/conversation-samples.js";
import { pngOf } from "../support/whole-files.js";

const whole = pngOf(2, 2);
const cutOff = whole.subarray(0, whole.length - 12);

/** A call over a history with this image, to a service that refuses `refuses` of its calls for an image. */
async function call(image: Uint8Array, refuses: number, agent: Partial<AgentSpec> = {}) {
  const key = `${createHash("sha256").update(image).digest("hex")}.png`;
  const mediaStore = new MemoryMediaStore();
  await mediaStore.put(key, image);
  const source = { type: "base64", media_type: "image/png", data: `$media:${key}` };
  const messages: readonly NativeMessage[] = [
    {
      role: "user",
      content: [
        { type: "image", source },
        { type: "text", text: "What is this?" },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "A seal." }] },
  ];
  const { dependencies } = activityWorld();
  const served = await dependencies.providers.get("anthropic");
  const requests: ModelRequest[] = [];
  const provider: typeof served = {
    call: (request, hooks) => {
      requests.push(request);
      if (requests.length > refuses) return served.call(request, hooks);
      return Promise.reject(new ProviderFailure("attachment_refused", "Could not process image"));
    },
  };
  const state = freshConversation({ agent });
  const called = callProvider(
    { ...dependencies, mediaStore, providers: { get: async () => provider } },
    {
      input: callInput(state, { root: extendRoot(EMPTY_ROOT, messages) }),
      transcript: { agent: state.head.agent, system: null, served: [], messages },
      frames: new TurnFrames(dependencies.frames, { conversation: "review", turn: "t", attempt: 1 }),
      attempt: 1,
      signal: new AbortController().signal,
      onCall: () => requests.length + 1,
    },
  );
  return { requests, ended: await called.catch((error: unknown) => error) };
}

describe("a request that is refused for a medium", () => {
  it("ACT-137 is made once more without what of the history is broken, which is reported and stays", async () => {
    const { requests, ended } = await call(cutOff, 1);
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests[0]?.messages[0])).toContain('"image"');
    expect(JSON.stringify(requests[1]?.messages[0])).not.toContain('"image"');
    expect(ended).toMatchObject({
      result: {
        provider_calls: 2,
        media_report: [
          { reason: "invalid_media", mime_type: "image/png", message_index: 0, preserved: true },
        ],
      },
    });
  });

  it("ACT-137 is final where nothing of the history is broken, or where it is refused again", async () => {
    for (const [image, refuses, calls] of [[whole, 1, 1] as const, [cutOff, 2, 2] as const]) {
      const { requests, ended } = await call(image, refuses);
      expect(requests).toHaveLength(calls);
      expect(ended).toMatchObject({ kind: "attachment_refused" });
    }
  });

  it("BUD-6 is not made once more where the budget has one call", async () => {
    const { requests, ended } = await call(cutOff, 1, { budget: { turn: { provider_calls: 1 } } });
    expect(requests).toHaveLength(1);
    expect(ended).toMatchObject({ kind: "attachment_refused" });
  });
});

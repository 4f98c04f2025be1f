import { afterEach, describe, expect, it, vi } from "vitest";
import { loadMedia } from "../../src/activities/load-media.js";
import { assertContinuable } from "../../src/client/assert-continuable.js";
import { restoreConversation } from "../../src/client/restore-conversation.js";
import { Agent } from "../../src/core/agent.js";
import { impossibleParts } from "../../src/core/dialects/impossible-parts.js";
import type { Envelope, NativeMessage } from "../../src/core/envelope/envelope.js";
import { envelopeOfHistory } from "../../src/core/envelope/envelope-of-history.js";
import type { ProviderName } from "../../src/core/providers.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { PNG } from "../support/stored-files.js";

const NOW = "2026-11-29T12:00:00.000Z";
const MODELS = {
  anthropic: "claude-haiku-4-5",
  openai: "gpt-6-luna",
  google: "gemini-3.5-flash",
  fireworks: "accounts/fireworks/models/kimi-k3",
} as const;
type Known = keyof typeof MODELS;
const png = Buffer.from(PNG).toString("base64");

function userWith(provider: Known, part: unknown): NativeMessage {
  const text = { anthropic: "text", openai: "input_text", google: "", fireworks: "text" }[provider];
  if (provider === "google") return { role: "user", parts: [{ text: "Look." }, part] } as NativeMessage;
  return { role: "user", content: [{ type: text, text: "Look." }, part] } as NativeMessage;
}

const envelopeOf = (provider: Known, part: unknown): Envelope =>
  envelopeOfHistory(
    { messages: [userWith(provider, part)], system: null },
    { provider: provider as ProviderName, model: MODELS[provider], conversationId: "review", now: NOW },
  );

const restored = (envelope: Envelope, model: string, preserveMedia: boolean) =>
  restoreConversation(
    { envelope, migratedFrom: 3 },
    {
      agent: new Agent({ model }),
      conversationId: "review",
      mediaStore: new MemoryMediaStore(),
      preserveMedia,
      checkpoint: null,
      now: NOW,
      convert: true,
    },
  );

const base64 = (data: unknown) => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data },
});
const image = (image_url: unknown) => ({ type: "image_url", image_url });
const pdf = Buffer.from("%PDF-1.7 a contract").toString("base64");
const fileOf = (file: unknown) => ({ type: "file", file });
const inline = (data: unknown) => ({ inlineData: { mimeType: "image/png", data } });

const IMPOSSIBLE: readonly (readonly [Known, unknown, path: string])[] = [
  ["anthropic", { type: "image" }, "content.1.source"],
  ["anthropic", { type: "document", source: { type: "base64" } }, "content.1.source.data"],
  ["anthropic", base64(null), "content.1.source.data"],
  ["anthropic", base64(""), "content.1.source.data"],
  ["anthropic", base64("no base64!"), "content.1.source.data"],
  ["anthropic", base64("QUJDRA"), "content.1.source.data"],
  ["anthropic", { type: "image", source: { type: "url" } }, "content.1.source.url"],
  [
    "anthropic",
    { type: "tool_result", tool_use_id: "t1", content: [{ type: "image" }] },
    "content.1.content.0.source",
  ],
  ["openai", { type: "input_image", detail: "auto" }, "content.1"],
  ["openai", { type: "input_image", image_url: "data:image/png;base64,?" }, "content.1.image_url"],
  ["openai", { type: "input_image", image_url: "data:image/png,abc" }, "content.1.image_url"],
  ["openai", { type: "input_file", filename: "a.pdf" }, "content.1"],
  ["openai", { type: "input_file", filename: "a.pdf", file_data: "QUJ" }, "content.1.file_data"],
  ["google", {}, "parts.1"],
  ["google", inline("!!"), "parts.1.inlineData.data"],
  ["google", inline(null), "parts.1.inlineData.data"],
  ["google", { fileData: { mimeType: "image/png" } }, "parts.1.fileData.fileUri"],
  ["google", { fileData: { mimeType: "image/png", fileUri: "gs://b/a.png" } }, "parts.1.fileData.fileUri"],
  ["fireworks", image("https://example.com/a.png"), "content.1.image_url"],
  ["fireworks", image({}), "content.1.image_url.url"],
  ["fireworks", image({ url: "data:image/png;base64,QUJ" }), "content.1.image_url.url"],
  ["fireworks", fileOf({ file_data: `data:application/pdf;base64,${pdf}` }), "content.1.type"],
  ["fireworks", fileOf({ file_data: pdf, filename: "a.pdf" }), "content.1.type"],
  ["fireworks", fileOf({ file_id: "file-1" }), "content.1.type"],
  ["fireworks", fileOf(null), "content.1.type"],
];

const POSSIBLE: readonly (readonly [Known, unknown])[] = [
  ["anthropic", base64(png)],
  ["anthropic", { type: "image", source: { type: "later", data: null } }],
  ["anthropic", { type: "later_block", source: null }],
  ["anthropic", { type: "document", source: { type: "content", content: "Clause 4." } }],
  ["anthropic", { type: "document", source: { type: "file", file_id: "file_1" } }],
  ["openai", { type: "input_image", image_url: `data:image/png;base64,${png}` }],
  ["openai", { type: "input_image", file_id: "file-1", image_url: null }],
  ["openai", { type: "input_later" }],
  ["google", inline(png.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_"))],
  ["google", { thought: true }],
  ["google", { fileData: { fileUri: "https://youtu.be/abc" } }],
  ["fireworks", image({ url: "https://example.com/a.png" })],
  ["fireworks", { type: "later" }],
];

describe("a restored medium of which every request would be refused", () => {
  it.each(IMPOSSIBLE)("API-193 is refused before anything starts on %s: %j at %s", (provider, part, path) => {
    const { messages } = envelopeOf(provider, part);
    const found = impossibleParts({ provider }, messages[0] as NativeMessage);
    expect(found).toMatchObject([{ path, expected: expect.stringMatching(/^[a-z].{3,}/) }]);
    if (JSON.stringify(part).includes("tool_result")) return;
    expect(() => assertContinuable({ messages, provider })).toThrow(
      expect.objectContaining({
        code: "InvalidHistoryError",
        issues: [expect.objectContaining({ index: 0, path })],
      }),
    );
  });

  it.each(POSSIBLE)(
    "API-193 is not what the service takes, or may take one day, on %s: %j",
    (provider, part) => {
      const { messages } = envelopeOf(provider, part);
      expect(() => assertContinuable({ messages, provider })).not.toThrow();
    },
  );

  it.each(IMPOSSIBLE.filter(([, part]) => !JSON.stringify(part).includes("tool_result")))(
    "API-194 stays with preserveMedia on %s, reported, and is left out of each request: %j",
    async (provider, part, path) => {
      const envelope = envelopeOf(provider, part);
      const { segments, tail } = await restored(envelope, MODELS[provider], true);
      const state = [...segments, tail];
      const kept = JSON.stringify(state.flatMap(({ messages }) => messages));
      expect(JSON.parse(kept.replace(/\$media:\w+\.pdf/, pdf))).toEqual(envelope.messages);
      const entry = {
        reason: "invalid_media",
        preserved: true,
        message_index: 0,
        detail: expect.stringContaining(`${path}: expected `),
      };
      expect(state.flatMap(({ media_report }) => media_report)).toMatchObject([entry]);
      const loading = { messages: envelope.messages, turnFrom: 1 };
      const sent = await loadMedia(
        new MemoryMediaStore(),
        { provider },
        {
          ...loading,
          signal: new AbortController().signal,
        },
      );
      expect(sent.report).toMatchObject([entry]);
      expect(impossibleParts({ provider }, sent.messages[0] as NativeMessage)).toEqual([]);
      expect(JSON.stringify(sent.messages)).toContain("left out, ");
    },
  );
});

describe("a file part, which Fireworks does not take and other servers of its wire may", () => {
  const part = fileOf({ filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` });
  const { messages } = envelopeOf("fireworks", part);
  const model = "compatible:qwen3";
  const ofServer = envelopeOfHistory(
    { messages, system: null },
    { provider: "compatible", model: "qwen3", conversationId: "review", now: NOW },
  );
  afterEach(() => vi.unstubAllEnvs());

  it("MED-212 is refused on Fireworks in one line that says the place and the ways on, unless its endpoint takes the type", async () => {
    const restoring = restored(envelopeOf("fireworks", part), MODELS.fireworks, false);
    await expect(restoring).rejects.toMatchObject({
      code: "InvalidHistoryError",
      message: expect.stringMatching(
        /^[^\n]*messages\[0\]\.content\.1\.type: expected text, image_url or video_url[^\n]*HOLDFAST_FIREWORKS_ATTACHMENTS[^\n]*preserveMedia[^\n]*$/,
      ),
    });
    vi.stubEnv("HOLDFAST_FIREWORKS_ATTACHMENTS", "text/csv");
    await expect(restored(envelopeOf("fireworks", part), MODELS.fireworks, false)).rejects.toThrow();
    vi.stubEnv("HOLDFAST_FIREWORKS_ATTACHMENTS", "application/pdf");
    const { tail } = await restored(envelopeOf("fireworks", part), MODELS.fireworks, false);
    expect([JSON.stringify(tail.messages).includes("$media:"), tail.media_report]).toEqual([true, []]);
  });

  it("MED-213 goes on at a server that may take it, whichever of the two it comes from", async () => {
    for (const envelope of [ofServer, envelopeOf("fireworks", part)]) {
      const { tail } = await restored(envelope, model, false);
      expect([JSON.stringify(tail.messages).includes('"file"'), tail.media_report]).toEqual([true, []]);
    }
    const sent = await loadMedia(new MemoryMediaStore(), { provider: "compatible" }, loading);
    expect(sent).toEqual({ messages, report: [] });
  });

  it("MED-213 becomes a text where such a history goes on at Fireworks, reported, and each request has one", async () => {
    const { tail } = await restored(ofServer, MODELS.fireworks, false);
    expect(tail.media_report).toMatchObject([
      { reason: "invalid_media", mime_type: "application/pdf", size: 19, message_index: 0 },
    ]);
    expect(JSON.stringify(tail.messages)).toMatch(/\[application\/pdf: left out, content\.1\.type: expected/);
    expect(tail.media).toEqual([]);
    const sent = await loadMedia(new MemoryMediaStore(), { provider: "fireworks" }, loading);
    expect(sent.report).toMatchObject([{ reason: "invalid_media", preserved: true }]);
    expect(JSON.stringify(sent.messages)).not.toContain('"file"');
  });

  const loading = { messages, turnFrom: 1, signal: new AbortController().signal };
});

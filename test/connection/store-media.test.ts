import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { inlineTextMedia, textMarkers } from "../../src/connection/store-media.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import type { Envelope } from "../../src/core/envelope/envelope.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { sampleEnvelope } from "../support/envelope-samples.js";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const keyFor = (text: string, extension: string): string =>
  `${createHash("sha256").update(text).digest("hex")}.${extension}`;
const notes = { text: "Clause 4: payment.", key: keyFor("Clause 4: payment.", "txt") };
const drawing = { text: "<svg/>", key: keyFor("<svg/>", "svg") };
const lost = { text: "Gone.", key: keyFor("Gone.", "txt") };

function withMarkers(media: Envelope["media"] = {}): Envelope {
  const files = [notes, lost].map(({ key }) => ({
    name: "notes.txt",
    mime_type: "text/plain",
    data: `$media:${key}`,
  }));
  const question = dialectFor("google").userMessage("Read.", [
    ...files,
    { name: "plan.svg", mime_type: "image/svg+xml", data: `$media:${drawing.key}` },
    { name: "plan.png", mime_type: "image/png", data: `$media:${keyFor("png", "png")}` },
  ]);
  const envelope = sampleEnvelope("google", 1);
  return { ...envelope, media, messages: [question, ...envelope.messages.slice(1)] };
}

describe("text that a history only names", () => {
  it("MED-22 is put in its place before a conversion, from the media table or the store; what nobody has stays a marker", async () => {
    const store = new MemoryMediaStore();
    await store.put(drawing.key, bytesOf(drawing.text));
    const data = Buffer.from(notes.text).toString("base64");
    const digest = notes.key.slice(0, 64);
    const envelope = withMarkers({ [digest]: { mime_type: "text/plain", size_bytes: 18, data } });
    expect([...textMarkers(envelope)]).toEqual([notes.key, lost.key, drawing.key]);
    const loaded = await inlineTextMedia(envelope, store);
    const text = JSON.stringify(loaded.messages);
    expect(text).toContain(data);
    expect(text).toContain(Buffer.from(drawing.text).toString("base64"));
    expect([...textMarkers(loaded)]).toEqual([lost.key]);
    expect(text).toContain(keyFor("png", "png"));
  });

  it("MED-22 leaves an envelope without such text as it is", async () => {
    const envelope = sampleEnvelope("anthropic", 1);
    expect(await inlineTextMedia(envelope, new MemoryMediaStore())).toBe(envelope);
  });
});

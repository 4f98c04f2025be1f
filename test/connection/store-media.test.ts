import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { inlineTextMedia, storeMedia, textMarkers } from "../../src/connection/store-media.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import { convertEnvelope } from "../../src/core/envelope/convert-envelope.js";
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

  it("MED-23 is loaded for files behind the provider's address too, into the table alone, and stored again", async () => {
    const store = new MemoryMediaStore();
    await store.put(notes.key, bytesOf(notes.text));
    const digest = notes.key.slice(0, 64);
    const uri = "https://generativelanguage.googleapis.com/v1beta/files/abc";
    const entry = { mime_type: "text/plain", size_bytes: 18, uri, ref: notes.key };
    const file = { fileData: { fileUri: uri, mimeType: "text/plain" } };
    const envelope: Envelope = {
      ...sampleEnvelope("google", 1),
      media: { [digest]: entry },
      messages: [{ role: "user", parts: [file, { text: "Read." }] }],
    };
    expect([...textMarkers(envelope)]).toEqual([notes.key]);
    const loaded = await inlineTextMedia(envelope, store);
    expect(loaded.messages).toEqual(envelope.messages);
    expect([...textMarkers(loaded)]).toEqual([]);
    const converted = convertEnvelope(loaded, { provider: "openai", model: "gpt-6-luna" });
    expect(JSON.stringify(converted.messages)).toContain(notes.text);
    const stored = await storeMedia(converted, store);
    expect(stored.media).toEqual({ [digest]: entry });
  });

  it("MED-23 keeps the address in the table when the bytes become a marker", async () => {
    const store = new MemoryMediaStore();
    const digest = createHash("sha256").update("png").digest("hex");
    const uri = "https://generativelanguage.googleapis.com/v1beta/files/abc";
    const data = Buffer.from("png").toString("base64");
    const envelope: Envelope = {
      ...sampleEnvelope("google", 1),
      media: { [digest]: { mime_type: "image/png", size_bytes: 3, uri, data } },
      messages: [{ role: "user", parts: [{ fileData: { fileUri: uri, mimeType: "image/png" } }] }],
    };
    const stored = await storeMedia(
      convertEnvelope(envelope, { provider: "openai", model: "gpt-6-luna" }),
      store,
    );
    expect(JSON.stringify(stored.messages)).toContain(`$media:${digest}.png`);
    expect(stored.media[digest]).toEqual({
      mime_type: "image/png",
      size_bytes: 3,
      uri,
      ref: `${digest}.png`,
    });
  });

  it("MED-22 leaves an envelope without such text as it is", async () => {
    const envelope = sampleEnvelope("anthropic", 1);
    expect(await inlineTextMedia(envelope, new MemoryMediaStore())).toBe(envelope);
  });
});

import { describe, expect, it } from "vitest";
import { convertWithMedia } from "../../src/connection/convert-with-media.js";
import { withInlineMedia } from "../../src/connection/export-envelope.js";
import { inlineTextMedia, storeMedia } from "../../src/connection/store-media.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import { convertEnvelope } from "../../src/core/envelope/convert-envelope.js";
import type { Envelope } from "../../src/core/envelope/envelope.js";
import { DIALECT_NAMES, type DialectName } from "../../src/core/providers.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { SAMPLE_MODELS, sampleEnvelope } from "../support/envelope-samples.js";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const target = (provider: DialectName) => ({ provider, model: SAMPLE_MODELS[provider] });
const nowhere = { store: new MemoryMediaStore(), convert: true };

/** With a PDF and a text, inline. */
function original(): Envelope {
  const envelope = sampleEnvelope("anthropic", 2);
  const question = dialectFor("anthropic").userMessage("Read both.", [
    { name: "contract.pdf", mime_type: "application/pdf", data: base64("%PDF-1.7 a contract") },
    { name: "notes.txt", mime_type: "text/plain", data: base64("Clause 4: payment.") },
  ]);
  return { ...envelope, messages: [question, ...envelope.messages.slice(1)] };
}

/** What an export writes of the conversation after a live rebind: bytes where the messages name them, markers in the attic. */
async function exported(provider: DialectName): Promise<Envelope> {
  const store = new MemoryMediaStore();
  const live = await inlineTextMedia(await storeMedia(original(), store), store);
  return withInlineMedia(await storeMedia(convertEnvelope(live, target(provider)), store), store);
}

describe("a conversion with the bytes that an envelope brings along", () => {
  it.each(DIALECT_NAMES.filter((name) => name !== "anthropic"))(
    "MED-40 gives back from the attic what was exported under %s, byte for byte, where no store has anything",
    async (provider) => {
      const back = await convertWithMedia(await exported(provider), target("anthropic"), nowhere);
      expect(JSON.stringify(back.messages)).toBe(JSON.stringify(original().messages));
      const onward = await convertWithMedia(back, target("google"), nowhere);
      expect(JSON.stringify(onward)).toContain(base64("%PDF-1.7 a contract"));
      expect(JSON.stringify(onward)).not.toContain("$media:");
    },
  );

  it("MED-40 leaves bytes that nobody has as a marker, and a file's address without bytes as it is", async () => {
    const sha256 = "a".repeat(64);
    const uri = "https://generativelanguage.googleapis.com/v1beta/files/x";
    const parts = [{ inlineData: { mimeType: "image/png", data: `$media:${sha256}.png` } }];
    const file = { fileData: { fileUri: uri, mimeType: "application/pdf" } };
    const envelope: Envelope = {
      ...sampleEnvelope("google", 1),
      media: {
        [sha256]: { mime_type: "image/png", size_bytes: 3, ref: `${sha256}.png` },
        ["b".repeat(64)]: { mime_type: "application/pdf", size_bytes: 3, uri },
      },
      messages: [
        { role: "user", parts: [...parts, file, { text: "Look." }] },
        { role: "model", parts: [{ text: "Seen." }] },
      ],
    };
    const { messages, media, conversion_report } = await convertWithMedia(
      envelope,
      target("anthropic"),
      nowhere,
    );
    expect(JSON.stringify(messages)).toContain(`$media:${sha256}.png`);
    expect(conversion_report).toMatchObject([{ kind: "dropped", artefact: "file-ref" }]);
    expect(media).toEqual(envelope.media);
  });

  it("MED-40 changes nothing within a dialect", async () => {
    const same = await convertWithMedia(original(), target("anthropic"), nowhere);
    expect(same.messages).toEqual(original().messages);
  });
});

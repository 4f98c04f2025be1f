import { describe, expect, it } from "vitest";
import { savedEnvelope } from "../../../src/connection/export-envelope.js";
import { persistenceReport } from "../../../src/core/envelope/persistence-report.js";
import { mediaWhereabouts } from "../../../src/core/media/media-whereabouts.js";
import { MemoryMediaStore } from "../../../src/media-stores/memory-media-store.js";
import { FILE_ADDRESS, keyOfBytes, PDF, PNG, withFiles } from "../../support/stored-files.js";

const pdf = { mime_type: "application/pdf", bytes: PDF };

describe("where the bytes of a file's media are", () => {
  it("MED-240 is inline, or a store by its key", async () => {
    const { envelope, store } = await withFiles("anthropic", [pdf, { mime_type: "image/png", bytes: PNG }]);
    const stores = { working: store, target: new MemoryMediaStore() };
    const inline = await savedEnvelope(envelope, { policy: "inline", maxInlineBytes: null }, stores);
    expect(mediaWhereabouts(inline).map(({ bytes, size_bytes }) => [bytes, size_bytes])).toEqual([
      ["inline", PDF.length],
      ["inline", PNG.length],
    ]);
    const stored = await savedEnvelope(envelope, { policy: "externalize", maxInlineBytes: null }, stores);
    expect(mediaWhereabouts(stored)[0]).toMatchObject({
      bytes: "store",
      ref: keyOfBytes(PDF, pdf.mime_type),
      size_bytes: PDF.length,
    });
  });

  it("MED-216 is nowhere, without a size, where a malformed marker stands for them", async () => {
    const { envelope } = await withFiles("anthropic", [pdf]);
    const damaged = { ...envelope, messages: JSON.parse(changed(envelope.messages)) };
    expect(mediaWhereabouts(damaged)).toMatchObject([
      { bytes: "nowhere", size_bytes: 0, mime_type: "application/pdf" },
    ]);
    expect(persistenceReport(damaged).media).toMatchObject([{ size_bytes: 0 }]);
  });

  it("MED-240 of an upload is the table, a store, or nowhere but at the provider", async () => {
    const { envelope, store } = await withFiles("google", [{ ...pdf, uri: FILE_ADDRESS }]);
    const stores = { working: store, target: new MemoryMediaStore() };
    const bytesOf = async (policy: "inline" | "externalize", maxInlineBytes: number | null) => {
      const saved = await savedEnvelope(envelope, { policy, maxInlineBytes }, stores);
      return mediaWhereabouts(saved).map(({ bytes, uri }) => [bytes, uri]);
    };
    expect(await bytesOf("inline", null)).toEqual([["inline", FILE_ADDRESS]]);
    expect(await bytesOf("inline", 1)).toEqual([["nowhere", FILE_ADDRESS]]);
    expect(await bytesOf("externalize", null)).toEqual([["store", FILE_ADDRESS]]);
  });
});

const changed = (messages: unknown): string =>
  JSON.stringify(messages).replace(`$media:${keyOfBytes(PDF, pdf.mime_type)}`, "$media:../../etc/passwd");

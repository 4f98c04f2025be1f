import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { savedEnvelope } from "../../src/connection/export-envelope.js";
import { storeMedia } from "../../src/connection/store-media.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import { convertEnvelope } from "../../src/core/envelope/convert-envelope.js";
import type { Envelope } from "../../src/core/envelope/envelope.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { persistenceReport } from "../../src/core/envelope/persistence-report.js";
import { serialiseEnvelope } from "../../src/core/envelope/serialise-envelope.js";
import { UsageError } from "../../src/core/errors/errors.js";
import { fromFileData } from "../../src/core/media/google-files.js";
import { MEDIA_POLICY_OPTIONS, type SavePlan, savePlan } from "../../src/core/media/policy.js";
import { PROVIDER_NAMES } from "../../src/core/providers.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { deepFreeze } from "../core/dialects/deep-freeze.js";
import {
  FILE_ADDRESS,
  keyOfBytes,
  PDF,
  PNG,
  type SampleFile,
  sha256Of,
  withFiles,
} from "../support/stored-files.js";

const fileBytes = (envelope: Envelope) => Buffer.byteLength(serialiseEnvelope(envelope));
const plan = (policy: SavePlan["policy"], maxInlineBytes: number | null = null): SavePlan => ({
  policy,
  maxInlineBytes,
});
const pdf: SampleFile = { mime_type: "application/pdf", bytes: PDF };
const png: SampleFile = { mime_type: "image/png", bytes: PNG };
const upload: SampleFile = { ...pdf, uri: FILE_ADDRESS };

const file = fc.record(
  {
    mime_type: fc.constantFrom("image/png", "application/pdf", "text/plain", "audio/wav"),
    bytes: fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
      .map((text) => new TextEncoder().encode(text)),
    uri: fc.nat(99).map((id) => `https://generativelanguage.googleapis.com/v1beta/files/f${id}`),
  },
  { requiredKeys: ["mime_type", "bytes"] },
);

describe("a save's size", () => {
  it("ENV-60 is reported to the byte under every policy, for every provider, limits and uploads included", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...PROVIDER_NAMES),
        fc.array(file, { maxLength: 4 }),
        fc.constantFrom(...MEDIA_POLICY_OPTIONS),
        fc.option(fc.nat(80)),
        async (provider, files, media, maxInlineBytes) => {
          const { envelope, store } = await withFiles(provider, files);
          const asked = savePlan(null, { media, maxInlineBytes, hasStore: media === "externalize" });
          const target = new MemoryMediaStore();
          const saved = await savedEnvelope(deepFreeze(envelope), asked, { working: store, target });
          expect(persistenceReport(envelope, asked).size_bytes).toBe(fileBytes(saved));
          expect(persistenceReport(saved).size_bytes).toBe(fileBytes(saved));
          expect(persistenceReport(envelope, asked).media).toHaveLength(
            asked.policy === "strip" ? 0 : files.length,
          );
          expect(parseEnvelope(serialiseEnvelope(saved)).envelope).toEqual(saved);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("ENV-60 counts what only the attic names, under every policy", async () => {
    const { envelope, store } = await withFiles("google", [
      { mime_type: "audio/wav", bytes: PDF },
      { mime_type: "text/plain", bytes: new TextEncoder().encode('a "text"') },
      png,
    ]);
    const target = { provider: "fireworks", model: "accounts/fireworks/models/kimi-k3" } as const;
    const converted = await storeMedia(convertEnvelope(envelope, target), store);
    expect(converted.attic.length).toBeGreaterThan(1);
    for (const asked of [plan("inline"), plan("inline", 4), plan("externalize"), plan("strip")]) {
      const saved = await savedEnvelope(converted, asked, { working: store, target: new MemoryMediaStore() });
      expect(persistenceReport(converted, asked).size_bytes).toBe(fileBytes(saved));
    }
  });

  it("ENV-60 is that of bytes which stand both as a text and as a file of another type", async () => {
    const text = 'a "text"';
    const sources = [
      { type: "text", media_type: "text/plain", data: text },
      { type: "base64", media_type: "application/pdf", data: Buffer.from(text).toString("base64") },
    ];
    for (const order of [sources, sources.toReversed()]) {
      const content = order.map((source) => ({ type: "document", source }));
      const { envelope, store } = await withFiles("anthropic", []);
      const messages = [{ role: "user", content }, ...envelope.messages.slice(1)];
      const stored = await storeMedia({ ...envelope, messages }, store);
      const stores = { working: store, target: undefined };
      expect(persistenceReport(stored, plan("inline")).size_bytes).toBe(
        fileBytes(await savedEnvelope(stored, plan("inline"), stores)),
      );
    }
  });

  it("ENV-61 is known of ten thousand messages with media under every policy", async () => {
    const { envelope, store } = await withFiles("anthropic", [pdf, png]);
    const messages = Array.from({ length: 2_000 }, () => envelope.messages.slice(-5)).flat();
    const long = { ...envelope, messages, turn_index: [] };
    expect(messages).toHaveLength(10_000);
    for (const asked of [plan("inline"), plan("externalize"), plan("strip")]) {
      const saved = await savedEnvelope(long, asked, { working: store, target: new MemoryMediaStore() });
      expect(persistenceReport(long, asked).size_bytes).toBe(fileBytes(saved));
    }
  });
});

describe("a save under a policy", () => {
  it("MED-200 auto externalizes where a store is configured, the agent's or the save's, and is never named in the file", () => {
    expect(savePlan(null, {}).policy).toBe("inline");
    expect(savePlan("reviewer", { media: "auto" }).policy).toBe("inline");
    expect(savePlan({ media_store: "/media" }, {}).policy).toBe("externalize");
    expect(savePlan(null, { hasStore: true }).policy).toBe("externalize");
    expect(savePlan({ media_store: "/media", media_policy: "strip" }, {}).policy).toBe("strip");
    expect(savePlan({ media_store: "/media", media_policy: "strip" }, { media: "inline" }).policy).toBe(
      "inline",
    );
  });

  it("MED-201 the limit of the table is the save's, else the agent's, else 8 MiB, and none for an explicit inline", () => {
    expect(savePlan(null, {}).maxInlineBytes).toBe(8 * 1024 * 1024);
    expect(savePlan({ media_max_inline_bytes: 5 }, {}).maxInlineBytes).toBe(5);
    expect(savePlan({ media_max_inline_bytes: 5 }, { maxInlineBytes: null }).maxInlineBytes).toBeNull();
    expect(savePlan({ media_max_inline_bytes: 5 }, { media: "inline" }).maxInlineBytes).toBeNull();
    expect(savePlan({ media_max_inline_bytes: 5, media_policy: "auto" }, {}).maxInlineBytes).toBe(5);
  });

  it.each(PROVIDER_NAMES)(
    "MED-202 externalize on %s puts the bytes into the store, and markers and their table into the file",
    async (provider) => {
      const { envelope, store } = await withFiles(provider, [png, pdf]);
      const target = new MemoryMediaStore();
      const saved = await savedEnvelope(envelope, plan("externalize"), { working: store, target });
      expect(saved.media_policy).toBe("externalize");
      expect(saved.messages).toEqual(envelope.messages);
      expect(saved.media).toEqual({
        [sha256Of(PNG)]: {
          mime_type: "image/png",
          size_bytes: PNG.length,
          ref: keyOfBytes(PNG, "image/png"),
        },
        [sha256Of(PDF)]: {
          mime_type: "application/pdf",
          size_bytes: PDF.length,
          ref: keyOfBytes(PDF, "application/pdf"),
        },
      });
      expect(await target.get(keyOfBytes(PDF, "application/pdf"))).toEqual(PDF);
      expect(saved.media_report).toEqual(envelope.media_report);
    },
  );

  it("MED-203 externalize without a store is refused, naming the remedy", async () => {
    const { envelope, store } = await withFiles("anthropic", [pdf]);
    const saving = savedEnvelope(envelope, plan("externalize"), { working: store, target: undefined });
    await expect(saving).rejects.toThrow(UsageError);
    await expect(saving).rejects.toThrow(/mediaStore.*--media-store/);
  });

  it.each(PROVIDER_NAMES)(
    "MED-204 strip on %s has a text naming type and size in the place of each part, and no bytes",
    async (provider) => {
      const { envelope, store } = await withFiles(provider, [png, pdf]);
      const saved = await savedEnvelope(envelope, plan("strip"), { working: store, target: undefined });
      const text = JSON.stringify(saved.messages);
      expect(saved).toMatchObject({ media_policy: "strip", media: {} });
      expect(text).not.toContain("$media:");
      expect(text).toContain(`[image/png, ${PNG.length} bytes: left out of this file]`);
      expect(saved.media_report).toEqual([
        ...envelope.media_report,
        { reason: "stripped", mime_type: "image/png", size: PNG.length, message_index: 4 },
        { reason: "stripped", mime_type: "application/pdf", size: PDF.length, message_index: 4 },
      ]);
      const dialect = dialectFor(provider);
      expect(saved.messages.flatMap((message, index) => dialect.checkMessage(message, index))).toEqual([]);
    },
  );

  it("MED-205 on Google a file is its address, its bytes in the table, and comes back as it was", async () => {
    const { envelope, store } = await withFiles("google", [upload, png]);
    const saved = await savedEnvelope(envelope, plan("inline"), { working: store, target: undefined });
    const expiration_time = "2026-03-03T12:00:00.000Z";
    const entry = {
      mime_type: "application/pdf",
      size_bytes: PDF.length,
      uri: FILE_ADDRESS,
      expiration_time,
    };
    expect(JSON.stringify(saved.messages)).toContain(`"fileUri":"${FILE_ADDRESS}"`);
    expect(saved.media).toEqual({ [sha256Of(PDF)]: { ...entry, data: Buffer.from(PDF).toString("base64") } });
    const back = fromFileData(await storeMedia(saved, new MemoryMediaStore()));
    expect(back.messages).toEqual(envelope.messages);
    const target = new MemoryMediaStore();
    const externalized = await savedEnvelope(envelope, plan("externalize"), { working: store, target });
    expect(externalized.media[sha256Of(PDF)]).toEqual({ ...entry, ref: keyOfBytes(PDF, "application/pdf") });
    expect(externalized.messages.slice(0, 4)).toEqual(envelope.messages.slice(0, 4));
  });

  it("MED-206 auto leaves the bytes of a file above the limit out of the table and says so; inline parts are never cut", async () => {
    const { envelope, store } = await withFiles("google", [upload, png]);
    const stores = { working: store, target: undefined };
    const saved = await savedEnvelope(envelope, plan("inline", PDF.length - 1), stores);
    expect(saved.media[sha256Of(PDF)]).toMatchObject({ uri: FILE_ADDRESS, size_bytes: PDF.length });
    expect(saved.media[sha256Of(PDF)]).not.toHaveProperty("data");
    expect(saved.media_report.at(-1)).toEqual({
      reason: "over_inline_threshold",
      mime_type: "application/pdf",
      size: PDF.length,
      message_index: 4,
      uri: FILE_ADDRESS,
      detail: `its upload is kept until ${saved.media[sha256Of(PDF)]?.expiration_time}`,
    });
    expect(JSON.stringify(saved.messages)).toContain(Buffer.from(PNG).toString("base64"));
    const whole = await savedEnvelope(envelope, plan("inline", PDF.length), stores);
    expect(whole.media[sha256Of(PDF)]?.data).toBe(Buffer.from(PDF).toString("base64"));
    expect(whole.media_report).toEqual(envelope.media_report);
  });

  it("MED-207 a blob that nobody has keeps its marker and its entry, and the file's report names it once", async () => {
    const { envelope } = await withFiles("anthropic", [pdf]);
    const key = keyOfBytes(PDF, "application/pdf");
    for (const asked of [plan("inline"), plan("externalize")]) {
      const stores = { working: new MemoryMediaStore(), target: new MemoryMediaStore() };
      const saved = await savedEnvelope(envelope, asked, stores);
      expect(JSON.stringify(saved.messages)).toContain(`$media:${key}`);
      expect(saved.media).toEqual(envelope.media);
      expect(saved.media_report.slice(envelope.media_report.length)).toEqual([
        {
          reason: "missing_blob",
          mime_type: "application/pdf",
          size: PDF.length,
          message_index: 4,
          detail: key,
          preserved: true,
        },
      ]);
      expect((await savedEnvelope(saved, asked, stores)).media_report).toEqual(saved.media_report);
    }
  });

  it("MED-202 externalize asks nothing of a blob that the store has already", async () => {
    const { envelope, store: target } = await withFiles("anthropic", [pdf]);
    const saved = await savedEnvelope(envelope, plan("externalize"), {
      working: new MemoryMediaStore(),
      target,
    });
    expect(saved.media_report).toEqual(envelope.media_report);
  });

  it("MED-10 inline needs no store: neither marker nor media table are left, but for what could not be read", async () => {
    for (const provider of PROVIDER_NAMES) {
      const { envelope, store } = await withFiles(provider, [png, pdf]);
      const other = "cd".repeat(32);
      const known = { mime_type: "audio/wav", size_bytes: 1, uri: "u" };
      const media = { ...envelope.media, [other]: known };
      const stores = { working: store, target: undefined };
      const saved = await savedEnvelope({ ...envelope, media }, plan("inline"), stores);
      expect(saved).toMatchObject({ media: { [other]: known }, media_policy: "inline" });
      expect(JSON.stringify(saved)).not.toContain("$media:");
      const partly = new MemoryMediaStore();
      await partly.put(keyOfBytes(PNG, "image/png"), PNG);
      const lost = await savedEnvelope(envelope, plan("inline"), { working: partly, target: undefined });
      expect(Object.keys(lost.media)).toEqual([sha256Of(PDF)]);
    }
  });
});

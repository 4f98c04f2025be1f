import { describe, expect, it } from "vitest";
import { bringMedia } from "../../src/client/bring-media.js";
import { restoredMedia } from "../../src/client/restore-media.js";
import { savedEnvelope } from "../../src/connection/export-envelope.js";
import { persistenceReport } from "../../src/core/envelope/persistence-report.js";
import { serialiseEnvelope } from "../../src/core/envelope/serialise-envelope.js";
import type { SavePlan } from "../../src/core/media/policy.js";
import { PROVIDER_NAMES } from "../../src/core/providers.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { FILE_ADDRESS, keyOfBytes, withFiles } from "../support/stored-files.js";

const bytes = new TextEncoder().encode('{"clause": 4}');
const asJson = { mime_type: "application/json", bytes };
const asText = { mime_type: "text/plain", bytes };
const keys = [keyOfBytes(bytes, "application/json"), keyOfBytes(bytes, "text/plain")] as const;
const plan = (policy: SavePlan["policy"]): SavePlan => ({ policy, maxInlineBytes: null });

async function has(store: MemoryMediaStore): Promise<readonly boolean[]> {
  return Promise.all(keys.map(async (key) => (await store.get(key)) !== undefined));
}

describe("the same bytes under two types", () => {
  it.each(PROVIDER_NAMES)("MED-246 are externalized under the key of each marker on %s", async (provider) => {
    const { envelope, store } = await withFiles(provider, [asJson, asText]);
    const target = new MemoryMediaStore();
    const saved = await savedEnvelope(envelope, plan("externalize"), { working: store, target });
    expect(await has(target)).toEqual([true, true]);
    expect(saved.media_report).toEqual([]);
    const working = new MemoryMediaStore();
    const restoring = { working, sources: [() => target], damaged: new Set<string>(), preserve: false };
    const back = await restoredMedia(saved, restoring);
    expect(await has(working)).toEqual([true, true]);
    expect(back.messages).toEqual(envelope.messages);
  });

  it("MED-241 are found under the other's key where a store has only that one", async () => {
    for (const kept of keys) {
      const [working, source] = [new MemoryMediaStore(), new MemoryMediaStore()];
      await source.put(kept, bytes);
      const found = await bringMedia(keys, { working, sources: [() => source], damaged: new Set() });
      expect([...found.keys()].sort()).toEqual([...keys].sort());
      expect(await has(working)).toEqual([true, true]);
    }
  });

  it.each(PROVIDER_NAMES)("ENV-92 are counted to the byte on %s, uploaded or not", async (provider) => {
    for (const files of [
      [asJson, asText],
      [asJson, { ...asText, uri: FILE_ADDRESS }],
      [{ ...asText, uri: FILE_ADDRESS }, asJson, asText],
    ]) {
      const { envelope, store } = await withFiles(provider, files);
      const uri = files.some((file) => "uri" in file) ? { uri: FILE_ADDRESS } : {};
      const media = Object.fromEntries(
        Object.entries(envelope.media).map(([digest, entry]) => [digest, { ...entry, ...uri }]),
      );
      const state = { ...envelope, media };
      for (const policy of ["inline", "externalize", "strip"] as const) {
        const stores = { working: store, target: new MemoryMediaStore() };
        const saved = await savedEnvelope(state, plan(policy), stores);
        const size = Buffer.byteLength(serialiseEnvelope(saved));
        expect(persistenceReport(state, plan(policy)).size_bytes, policy).toBe(size);
        expect(persistenceReport(saved).size_bytes, policy).toBe(size);
      }
    }
  });
});

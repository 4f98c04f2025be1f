import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { restoreConversation } from "../../src/client/restore-conversation.js";
import { savedEnvelope } from "../../src/connection/export-envelope.js";
import { Agent, type AgentSpec } from "../../src/core/agent.js";
import { listOf } from "../../src/core/conversation/state.js";
import { dialectFor } from "../../src/core/dialects/index.js";
import type { Envelope } from "../../src/core/envelope/envelope.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { serialiseEnvelope } from "../../src/core/envelope/serialise-envelope.js";
import { EnvelopeDamagedError, UsageError } from "../../src/core/errors/errors.js";
import type { MediaStore } from "../../src/core/media/media-store.js";
import { PROVIDER_NAMES } from "../../src/core/providers.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { SAMPLE_MODELS, sampleEnvelope } from "../support/envelope-samples.js";
import { FILE_ADDRESS, keyOfBytes, PDF, PNG, sha256Of, withFiles } from "../support/stored-files.js";

const EXTERNALIZE = { policy: "externalize", maxInlineBytes: null } as const;
const INLINE = { policy: "inline", maxInlineBytes: null } as const;
const pdfKey = keyOfBytes(PDF, "application/pdf");
const pdf = { mime_type: "application/pdf", bytes: PDF };
const png = { mime_type: "image/png", bytes: PNG };

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-restore-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  return rm(folder, { recursive: true, force: true });
});

interface Change {
  /** The envelope's own. */
  readonly kept?: AgentSpec | null;
  readonly agent?: Agent;
  readonly working?: MediaStore;
  readonly from?: string | MediaStore;
  readonly stores?: Readonly<Record<string, MediaStore>>;
  readonly preserveMedia?: boolean;
}

function restore(
  envelope: Envelope,
  { agent, kept = null, working = new MemoryMediaStore(), ...change }: Change = {},
) {
  return restoreConversation(
    { envelope: { ...envelope, agent: kept }, migratedFrom: 3 },
    {
      agent,
      conversationId: "restored",
      mediaStore: working,
      ...change,
      checkpoint: null,
      now: "2026-03-01T00:00:00.000Z",
      convert: true,
    },
  );
}

/** An envelope with these files, saved into the folder's store. */
async function externalized(provider: Parameters<typeof withFiles>[0], files = [pdf, png]) {
  const { envelope, store } = await withFiles(provider, files);
  const target = new DirectoryMediaStore(folder);
  return { envelope, saved: await savedEnvelope(envelope, EXTERNALIZE, { working: store, target }) };
}

const reported = (state: Awaited<ReturnType<typeof restore>>) => listOf(state, "media_report");

describe("the bytes of a restored envelope", () => {
  it.each(PROVIDER_NAMES)(
    "MED-220 come from the store that the restore names, byte for byte, on %s",
    async (provider) => {
      vi.stubEnv("HOLDFAST_FIREWORKS_ATTACHMENTS", "application/pdf");
      const { envelope, saved } = await externalized(provider);
      const working = new MemoryMediaStore();
      const state = await restore(saved, { working, from: folder });
      expect(reported(state)).toEqual([]);
      expect(listOf(state, "messages")).toEqual(envelope.messages);
      expect(await working.get(pdfKey)).toEqual(PDF);
      expect(Object.fromEntries(listOf(state, "media"))).toEqual(envelope.media);
      const inline = await savedEnvelope(envelope, INLINE, { working, target: undefined });
      const again = await restore(inline, { working: new MemoryMediaStore() });
      expect(listOf(again, "messages")).toEqual(envelope.messages);
    },
  );

  it("MED-221 come from the agent's store where the restore names none, from the working store before both", async () => {
    const { saved } = await externalized("anthropic");
    const model = SAMPLE_MODELS.anthropic;
    const agent = new Agent({ model, mediaStore: folder });
    expect(reported(await restore(saved, { agent }))).toEqual([]);
    const working = new MemoryMediaStore();
    await working.put(pdfKey, PDF);
    await working.put(keyOfBytes(PNG, "image/png"), PNG);
    const unknown = new Agent({ model, mediaStore: "archive" });
    expect(reported(await restore(saved, { agent: unknown, working }))).toEqual([]);
    await expect(restore(saved, { agent: unknown })).rejects.toThrow(UsageError);
    const stores = { archive: new DirectoryMediaStore(folder) };
    expect(reported(await restore(saved, { agent: unknown, stores }))).toEqual([]);
  });

  it("MED-238 whose envelope's agent names a store that is not registered here is refused before anything is read", async () => {
    const { saved } = await externalized("anthropic", [pdf]);
    const { spec } = new Agent({ model: SAMPLE_MODELS.anthropic, mediaStore: "vault" });
    const working = new MemoryMediaStore();
    const restoring = restore(saved, { kept: spec, working, from: folder });
    await expect(restoring).rejects.toThrow(/"vault" is registered here: give it to connect.*stores:/);
    expect(await working.get(pdfKey)).toBeUndefined();
    const stores = { vault: new DirectoryMediaStore(folder) };
    expect(reported(await restore(saved, { kept: spec, stores }))).toEqual([]);
  });

  it("MED-222 that nobody has leave a text in their place, and are reported with type and size", async () => {
    const { saved } = await externalized("anthropic", [pdf]);
    const state = await restore(saved);
    const entry = {
      reason: "missing_blob",
      mime_type: "application/pdf",
      size: PDF.length,
      message_index: 4,
    };
    expect(reported(state)).toEqual([{ ...entry, detail: `no media store is named for ${pdfKey}` }]);
    const text = JSON.stringify(listOf(state, "messages"));
    expect(text).toContain(`[application/pdf, ${PDF.length} bytes: its bytes are missing]`);
    expect(text).not.toContain("$media:");
    expect(listOf(state, "media")).toEqual([]);
    await rm(join(folder, pdfKey));
    expect(reported(await restore(saved, { from: folder }))).toEqual([{ ...entry, detail: pdfKey }]);
  });

  it("MED-237 are told apart: missing, damaged, in no folder that is there; a file in a store's place is refused", async () => {
    const { saved } = await externalized("anthropic", [pdf]);
    const nowhere = join(folder, "nowhere");
    const detail = `there is no folder ${nowhere} for ${pdfKey}`;
    expect(reported(await restore(saved, { from: nowhere }))).toMatchObject([{ detail }]);
    const file = join(folder, "file");
    await writeFile(file, "");
    await expect(restore(saved, { from: file })).rejects.toThrow(UsageError);
    const agent = new Agent({ model: SAMPLE_MODELS.anthropic, mediaStore: file });
    expect(reported(await restore(saved, { agent }))).toMatchObject([
      { detail: `${file} is a file and no folder for ${pdfKey}` },
    ]);
    const large = new Uint8Array(8_000).fill(32);
    large.set(PDF.subarray(0, 8));
    await writeFile(join(folder, pdfKey), large);
    const text = JSON.stringify(listOf(await restore(saved, { from: folder }), "messages"));
    expect(text).toContain("its bytes are damaged");
  });

  it("MED-223 with preserveMedia the marker stays, with its entry, and the report says so", async () => {
    const { envelope, saved } = await externalized("anthropic", [pdf]);
    const state = await restore(saved, { preserveMedia: true });
    expect(listOf(state, "messages")).toEqual(envelope.messages);
    expect(reported(state)).toMatchObject([{ reason: "missing_blob", preserved: true }]);
    expect(Object.fromEntries(listOf(state, "media"))).toEqual(envelope.media);
    const bare = await restore({ ...saved, media: {} }, { preserveMedia: true });
    expect(listOf(bare, "media")).toEqual([
      [sha256Of(PDF), { mime_type: "application/pdf", ref: pdfKey, size_bytes: 0 }],
    ]);
  });

  it("MED-224 with another digest than their key are not taken", async () => {
    const { saved } = await externalized("anthropic", [pdf]);
    await writeFile(join(folder, pdfKey), "%PDF-1.7 another");
    const working = new MemoryMediaStore();
    const state = await restore(saved, { from: folder, working });
    expect(reported(state)).toMatchObject([{ reason: "missing_blob", detail: `${pdfKey} is damaged` }]);
    expect(await working.get(pdfKey)).toBeUndefined();
    const lying: MediaStore = {
      put: async () => undefined,
      get: async () => new TextEncoder().encode("%PDF other"),
    };
    expect(reported(await restore(saved, { from: lying, working }))).toMatchObject([
      { reason: "missing_blob" },
    ]);
    expect(await working.get(pdfKey)).toBeUndefined();
  });

  it("MED-225 of another type than the history says, or that its dialect does not take, are invalid", async () => {
    const lying = await withFiles("openai", [{ mime_type: "application/pdf", bytes: PNG }]);
    const state = await restore(lying.envelope, { working: lying.store });
    expect(reported(state)).toMatchObject([
      { reason: "invalid_media", mime_type: "application/pdf", detail: "its bytes are image/png" },
    ]);
    expect(JSON.stringify(listOf(state, "messages"))).not.toContain("$media:");
    const webp = {
      role: "user",
      content: [
        {
          type: "image_url",
          image_url: { url: `data:image/heic;base64,${Buffer.from("heic").toString("base64")}` },
        },
      ],
    };
    const foreign = { ...sampleEnvelope("fireworks"), messages: [webp], turn_index: [] };
    expect(reported(await restore(foreign))).toMatchObject([
      { reason: "invalid_media", detail: "fireworks does not take image/heic" },
    ]);
  });

  it("MED-226 are described by what was read of them, where the file's table is wrong or is not there", async () => {
    const { envelope, saved } = await externalized("anthropic", [pdf]);
    const wrong = {
      ...saved,
      media: { [sha256Of(PDF)]: { mime_type: "application/pdf", size_bytes: 1, ref: pdfKey } },
    };
    for (const file of [wrong, { ...saved, media: {} }]) {
      const state = await restore(file, { from: folder });
      expect(Object.fromEntries(listOf(state, "media"))).toEqual(envelope.media);
    }
  });

  it("MED-227 of a provider's file make it a marker; one whose bytes nobody has keeps its address", async () => {
    const { envelope, store } = await withFiles("google", [{ ...pdf, uri: FILE_ADDRESS }]);
    const limited = await savedEnvelope(
      envelope,
      { policy: "inline", maxInlineBytes: 1 },
      { working: store, target: undefined },
    );
    const state = await restore(limited);
    expect(JSON.stringify(listOf(state, "messages"))).toContain(`"fileUri":"${FILE_ADDRESS}"`);
    expect(reported(state)).toEqual([]);
    expect(listOf(await restore(limited, { working: store }), "messages")).toEqual(envelope.messages);
  });

  it("MED-228 of another digest in the file itself are not taken", async () => {
    const { envelope, store } = await withFiles("google", [{ ...pdf, uri: FILE_ADDRESS }]);
    const saved = await savedEnvelope(envelope, INLINE, { working: store, target: undefined });
    const entry = saved.media[sha256Of(PDF)];
    const lying = {
      ...saved,
      media: { [sha256Of(PDF)]: { mime_type: "application/pdf", size_bytes: 3, ...entry, data: "AAAA" } },
    };
    const working = new MemoryMediaStore();
    const state = await restore(lying, { working });
    expect(JSON.stringify(listOf(state, "messages"))).toContain(FILE_ADDRESS);
    expect(await working.get(pdfKey)).toBeUndefined();
  });
});

describe("a marker in a file", () => {
  const dialect = dialectFor("anthropic");
  const bad = [
    "$media:../../etc/passwd",
    "$media:/etc/passwd",
    `$media:${"a".repeat(64)}.pdf\u0000`,
    `$media:${"A".repeat(64)}.pdf`,
    `$media:../${"a".repeat(64)}.pdf`,
    `$media:${"a".repeat(63)}.pdf`,
    `$media:${"a".repeat(64)}`,
  ];

  it.each(bad)("MED-229 of another form never reaches a store: %j", async (data) => {
    const question = dialect.userMessage("Read it.", [{ mime_type: "application/pdf", name: "x.pdf", data }]);
    const envelope = { ...sampleEnvelope("anthropic", 1), messages: [question], turn_index: [] };
    const asked: string[] = [];
    const store: MediaStore = {
      put: async (key) => void asked.push(key),
      get: async (key) => {
        asked.push(key);
        return undefined;
      },
    };
    const state = await restore(envelope, { working: store, from: store });
    expect(asked).toEqual([]);
    expect(reported(state)).toMatchObject([{ reason: "invalid_media", size: 0, message_index: 0 }]);
    expect(JSON.stringify(listOf(state, "messages"))).not.toContain("$media:.");
    const kept = await restore(envelope, { working: store, preserveMedia: true });
    expect(listOf(kept, "messages")).toEqual([question]);
    await restore(envelope, { from: new DirectoryMediaStore(folder) });
    expect(await readdir(folder)).toEqual([]);
  });

  it("MED-229 is refused with the envelope where the media table names it", () => {
    const envelope = sampleEnvelope("anthropic", 1);
    for (const ref of bad.map((marker) => marker.slice("$media:".length))) {
      const media = { ["a".repeat(64)]: { mime_type: "application/pdf", size_bytes: 3, ref } };
      const text = serialiseEnvelope({ ...envelope, media });
      expect(() => parseEnvelope(text)).toThrow(EnvelopeDamagedError);
    }
  });
});

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { attachFiles } from "../../src/client/attach-files.js";
import { bringMedia } from "../../src/client/bring-media.js";
import { referencesOfEnvelopes } from "../../src/client/garbage-envelopes.js";
import { restoreConversation } from "../../src/client/restore-conversation.js";
import { saveEnvelope } from "../../src/client/save-envelope.js";
import { savedEnvelope } from "../../src/connection/export-envelope.js";
import { openNamedStore } from "../../src/connection/open-media-store.js";
import { Agent } from "../../src/core/agent.js";
import { serialiseEnvelope } from "../../src/core/envelope/serialise-envelope.js";
import type { MediaStore } from "../../src/core/media/media-store.js";
import { MEDIA_STORE_CASES } from "../../src/media-stores/conformance.js";
import { blobOf } from "../../src/media-stores/conformance-case.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { sampleEnvelope } from "../support/envelope-samples.js";
import { keyOfBytes, PNG, withFiles } from "../support/stored-files.js";

const key = keyOfBytes(PNG, "image/png");
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-stores-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const throwing = (error: unknown): MediaStore => ({
  put: async () => {
    throw error;
  },
  get: async () => {
    throw error;
  },
});

async function restoredFrom(store: MediaStore | string, stores: Record<string, MediaStore> = {}) {
  const { envelope, store: has } = await withFiles("anthropic", [{ mime_type: "image/png", bytes: PNG }]);
  const plan = { policy: "externalize", maxInlineBytes: null } as const;
  const saved = await savedEnvelope(envelope, plan, { working: has, target: new MemoryMediaStore() });
  return restoreConversation(
    { envelope: saved, migratedFrom: 3 },
    {
      agent: new Agent({ model: "claude-haiku-4-5" }),
      conversationId: "review",
      mediaStore: new MemoryMediaStore(),
      from: store,
      stores,
      checkpoint: null,
      now: "2026-11-29T12:00:00.000Z",
      convert: true,
    },
  );
}

describe("a store of the user's own that is bad", () => {
  it("MED-252 is named in one line by a restore: what it throws, and what it gives that are no bytes", async () => {
    const ill: readonly (readonly [MediaStore, RegExp])[] = [
      [
        throwing(new Error("down\u001b[31m\nfor now.")),
        /cannot give [0-9a-f]{64}\.png: down\P{Cc}*for now\. Mend/u,
      ],
      [throwing("a string"), /: a string\. Mend/],
      [
        { put: async () => undefined, get: async () => "text" as never },
        /gives a string where bytes were expected/,
      ],
      [
        { put: async () => undefined, get: async () => undefined, getStream: async () => 5 as never },
        /gives a number where bytes were expected/,
      ],
    ];
    for (const [store, words] of ill) {
      for (const [asked, name] of [
        [store, "of this restore"],
        ["archive", '"archive"'],
      ] as const) {
        const restoring = restoredFrom(asked, { archive: store });
        await expect(restoring).rejects.toMatchObject({
          code: "MediaStoreUnavailableError",
          message: expect.stringMatching(words),
        });
        await expect(restoring).rejects.toThrow(new RegExp(`^The media store ${name} cannot give [^\\n]+$`));
      }
    }
  });

  it("MED-252 is named in one line by a save", async () => {
    const { envelope, store } = await withFiles("anthropic", [{ mime_type: "image/png", bytes: PNG }]);
    const context = { cwd: folder, stores: {}, mediaStore: store } as never;
    const saving = saveEnvelope(context, envelope, { mediaStore: throwing(new Error("full")) });
    await expect(saving).rejects.toMatchObject({
      code: "MediaStoreUnavailableError",
      message: `The media store of this save cannot take ${key}: full. Mend the store, or name another.`,
    });
  });

  it("MED-252 keeps every method that it has: the conformance suite passes through", async () => {
    class Own extends MemoryMediaStore {}
    const methods = ["put", "get", "putStream", "getStream", "list", "delete", "deleteOlder"] as const;
    const opened = (): MediaStore => {
      const own = new Own();
      const plain = Object.fromEntries(methods.map((name) => [name, (own[name] as () => unknown).bind(own)]));
      return openNamedStore("archive", { archive: plain as never });
    };
    expect(Object.keys(opened())).toEqual(methods);
    for (const { name, run } of MEDIA_STORE_CASES.filter(
      ({ name: title }) => !/big|keeps nothing/.test(title),
    )) {
      const store = opened();
      await run(() => store).catch((error: unknown) => expect.fail(`${name}: ${String(error)}`));
    }
    const bare = openNamedStore("archive", { archive: throwing("x") });
    expect(Object.keys(bare)).toEqual(["put", "get"]);
  });

  it("MED-253 is stopped where its stream does not end, far above the size that is known", async () => {
    const chunk = new Uint8Array(8 * 1024 * 1024);
    let given = 0;
    const endless: MediaStore = {
      put: async () => undefined,
      get: async () => undefined,
      getStream: async () =>
        (async function* () {
          for (;;) {
            given += chunk.byteLength;
            yield chunk;
          }
        })(),
    };
    const bringing = {
      working: new MemoryMediaStore(),
      sources: [() => endless],
      damaged: new Set<string>(),
    };
    const found = await bringMedia([key], { ...bringing, sizeOf: () => PNG.byteLength });
    expect(found.size).toBe(0);
    expect([...bringing.damaged]).toEqual([key]);
    expect(given).toBeLessThan(100 * 1024 * 1024);
  });
});

describe("what is attached or named", () => {
  it("API-195 is refused for a name that is too long, with its length and the most", async () => {
    const context = { mediaStore: new MemoryMediaStore(), cwd: folder };
    const named = { name: "n".repeat(4_000), data: "text" };
    await expect(attachFiles(context, [named])).rejects.toThrow(
      /^The name of the file "n+…?" is too long: it has 4000 characters, and 500 is the most\. Give it a shorter one\. Nothing was sent\.$/,
    );
    const [marker] = await attachFiles(context, [{ ...named, name: "n".repeat(500) }]);
    expect(marker?.name).toHaveLength(500);
    expect(blobOf(PNG, "png").key).toBe(key);
  });

  it.runIf(process.platform !== "win32")(
    "MED-254 is passed over by gc in a folder where it is no regular file",
    { timeout: 10_000 },
    async () => {
      await mkdir(join(folder, "saved"));
      execFileSync("mkfifo", [join(folder, "saved/pipe.json")]);
      await writeFile(join(folder, "saved/one.json"), serialiseEnvelope(sampleEnvelope("anthropic")));
      expect((await referencesOfEnvelopes(["saved"], folder)).count).toBe(1);
    },
  );
});

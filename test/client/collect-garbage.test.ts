import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collectGarbage, type GarbageOptions } from "../../src/client/collect-garbage.js";
import { ClosedConversations } from "../../src/connection/closed-conversations.js";
import type { ConversationState } from "../../src/core/conversation/state.js";
import { interruptTurn } from "../../src/core/conversation/turn.js";
import { serialiseEnvelope } from "../../src/core/envelope/serialise-envelope.js";
import { NoWorkerError } from "../../src/core/errors/errors.js";
import type { MediaStore, StoredBlob } from "../../src/core/media/media-store.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { MediaStoreUnavailableError } from "../../src/media-stores/media-store-unavailable-error.js";
import { temporaryName } from "../../src/media-stores/write-file-atomically.js";
import { admitted, committed, freshConversation, running } from "../support/conversation-samples.js";
import { SAMPLE_TIME, sampleEnvelope } from "../support/envelope-samples.js";
import { type Blob, blobOf, garbageContext, markerOf, type OpenConversation } from "./garbage-world.js";

const LONG_AGO = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);

let folder: string;
let store: DirectoryMediaStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-gc-"));
  store = new DirectoryMediaStore(join(folder, "media"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Puts blobs of these texts, three days ago. */
async function old(...texts: readonly string[]): Promise<readonly Blob[]> {
  const blobs = texts.map((text) => blobOf(text));
  for (const { key, bytes } of blobs) {
    await store.put(key, bytes);
    await age(key);
  }
  return blobs;
}

const age = (key: string): Promise<void> => utimes(join(store.path, key), LONG_AGO, LONG_AGO);

const gc = (
  options: GarbageOptions = {},
  open: () => Readonly<Record<string, OpenConversation>> = () => ({}),
  of: MediaStore = store,
  closed: Readonly<Record<string, OpenConversation>> = {},
) => collectGarbage(garbageContext({ folder: store.path, store: of, open, closed }), options);

async function kept(): Promise<readonly string[]> {
  const found: StoredBlob[] = [];
  for await (const blob of store.list()) found.push(blob);
  return found.map(({ key }) => key).sort();
}

const keysOf = (blobs: readonly { readonly key: string }[]): readonly string[] =>
  blobs.map(({ key }) => key).sort();

const conversation = (state: ConversationState): OpenConversation => ({ state: () => state });

/** A state whose last turn failed with this file. */
const interruptedWith = (file: Blob): ConversationState =>
  interruptTurn(
    running(freshConversation(), "t1", { files: [markerOf(file)] }),
    { error_type: "ProviderError", error: "It failed." },
    SAMPLE_TIME,
  );

const committedWith = (file: Blob): ConversationState =>
  committed(freshConversation(), "t1", {
    messages: [{ role: "user", content: `$media:${file.key}` }],
    media: { [file.digest]: { mime_type: "text/plain", size_bytes: 3, ref: file.key } },
  });

const envelopeNaming = ({ key, digest }: Blob): string =>
  serialiseEnvelope({
    ...sampleEnvelope("anthropic"),
    media: { [digest]: { mime_type: "text/plain", size_bytes: 3, ref: key } },
  });

describe("collecting garbage", () => {
  it("MED-160 finds what is old and needed by nothing, and changes nothing unless told", async () => {
    const [one, two] = await old("one", "two", "three");
    const young = blobOf("young");
    await store.put(young.key, young.bytes);
    const open = () => ({ live: conversation(committedWith(one as Blob)) });
    const found = await gc({}, open);
    expect(keysOf(found.garbage)).toEqual(keysOf([two as Blob, blobOf("three")]));
    expect(found).toMatchObject({
      store: store.path,
      deleted: false,
      older_than_ms: 86_400_000,
      size_bytes: 8,
      scanned: { blobs: 4, open_conversations: 1, closed_conversations: 0, envelopes: 0 },
    });
    expect(await kept()).toHaveLength(4);
    expect(await gc({ delete: true }, open)).toEqual({ ...found, deleted: true });
    expect(await kept()).toEqual(keysOf([one as Blob, young]));
  });

  it("MED-160 takes another age, and 0 for any", async () => {
    const fresh = blobOf("fresh");
    await store.put(fresh.key, fresh.bytes);
    expect((await gc({ olderThanMs: 60_000 })).garbage).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(keysOf((await gc({ olderThanMs: 0 })).garbage)).toEqual([fresh.key]);
  });

  it("MED-161 keeps what a turn that runs or waits, a record or a history names", async () => {
    const blobs = await old("running", "queued", "interrupted", "committed", "resent");
    const [runs, waits, failed, said, garbage] = blobs as [Blob, Blob, Blob, Blob, Blob];
    const busy = running(freshConversation(), "t1", { files: [markerOf(runs)] });
    const queued = admitted(busy, "t2", { files: [markerOf(waits)] }).state;
    const open = () => ({
      busy: conversation(queued),
      failed: conversation(interruptedWith(failed)),
      said: conversation(committedWith(said)),
    });
    expect(keysOf((await gc({ delete: true }, open)).garbage)).toEqual([garbage.key]);
    expect(await kept()).toEqual(keysOf([runs, waits, failed, said]));
  });

  it("MED-161 keeps what long conversations name, whose references come in pages", async () => {
    const [garbage] = await old("garbage");
    const files = Array.from({ length: 3_000 }, (_, index) => blobOf(`file ${index}`));
    const last = files.at(-1) as Blob;
    await store.put(last.key, last.bytes);
    await age(last.key);
    const state = committed(freshConversation(), "t1", {
      media: Object.fromEntries(
        files.map(({ digest, key }) => [digest, { mime_type: "text/plain", size_bytes: 3, ref: key }]),
      ),
    });
    const found = await gc({ delete: true }, () => ({ long: conversation(state) }));
    expect(keysOf(found.garbage)).toEqual([(garbage as Blob).key]);
  });

  it("MED-161 keeps the last envelope of a closed conversation, and what that names", async () => {
    const [named, garbage] = await old("named", "garbage");
    const closed = new ClosedConversations(store, store.path);
    const { key, digest } = named as Blob;
    await closed.keep(
      {
        ...sampleEnvelope("anthropic"),
        media: { [digest]: { mime_type: "text/plain", size_bytes: 3, ref: key } },
      },
      SAMPLE_TIME,
    );
    for (const blob of await kept()) await age(blob);
    const found = await gc({ delete: true });
    expect(keysOf(found.garbage)).toEqual([(garbage as Blob).key]);
    expect(found.scanned.closed_conversations).toBe(1);
    expect((await closed.open(sampleEnvelope("anthropic").conversation_id))?.media[digest]?.ref).toBe(key);
  });

  it("MED-245 keeps what a closed conversation names whose last envelope was not kept, while the server knows it", async () => {
    const [named, garbage] = (await old("named", "garbage")) as [Blob, Blob];
    const { conversation_id } = sampleEnvelope("anthropic");
    const closed = { [conversation_id]: conversation(committedWith(named)) };
    const found = await gc({ delete: true }, undefined, store, closed);
    expect(keysOf(found.garbage)).toEqual([garbage.key]);
    expect(found.scanned.closed_conversations).toBe(1);
    const envelopes = new ClosedConversations(store, store.path);
    await envelopes.keep(sampleEnvelope("anthropic"), "2025-12-31T00:00:00.000Z");
    expect((await gc({}, undefined, store, closed)).garbage, "an envelope of an earlier run").toEqual([]);
    await envelopes.keep(sampleEnvelope("anthropic"), "2026-01-02T00:00:00.000Z");
    expect(keysOf((await gc({}, undefined, store, closed)).garbage)).toEqual([named.key]);
  });

  it("MED-166 keeps what named envelopes name: files, and all .json of a folder, through links as well", async () => {
    const [one, two, three, garbage] = (await old("one", "two", "three", "garbage")) as [
      Blob,
      Blob,
      Blob,
      Blob,
    ];
    await mkdir(join(folder, "saved/deep"), { recursive: true });
    await mkdir(join(folder, "elsewhere"));
    await writeFile(join(folder, "one.envelope"), envelopeNaming(one));
    await writeFile(join(folder, "saved/deep/two.JSON"), envelopeNaming(two));
    await writeFile(join(folder, "elsewhere/three.json"), envelopeNaming(three));
    await writeFile(join(folder, "saved/notes.txt"), "no envelope");
    await symlink(join(folder, "elsewhere"), join(folder, "saved/link"));
    await symlink(join(folder, "saved"), join(folder, "saved/deep/round"));
    const envelopes = [join(folder, "one.envelope"), join(folder, "saved")];
    const found = await gc({ delete: true, envelopes });
    expect(keysOf(found.garbage)).toEqual([garbage.key]);
    expect(found.scanned.envelopes).toBe(3);
  });

  it("MED-166 keeps a file that an envelope names by its digest alone", async () => {
    const [uploaded] = (await old("uploaded")) as [Blob];
    const envelope = {
      ...sampleEnvelope("google"),
      media: { [uploaded.digest]: { mime_type: "text/plain", size_bytes: 8, uri: "https://files/1" } },
    };
    await writeFile(join(folder, "google.json"), serialiseEnvelope(envelope));
    expect((await gc({ envelopes: [join(folder, "google.json")] })).garbage).toEqual([]);
  });
});

describe("what cannot be read", () => {
  const refused = async (options: GarbageOptions, open?: () => Record<string, OpenConversation>) => {
    const before = await kept();
    const error = await gc({ delete: true, ...options }, open).catch((thrown: unknown) => thrown);
    expect(await kept()).toEqual(before);
    return error;
  };

  it("MED-162 stops the whole run: an envelope that is missing, damaged or none", async () => {
    await old("garbage");
    await writeFile(join(folder, "cut.json"), envelopeNaming(blobOf("x")).slice(0, -20));
    await writeFile(join(folder, "package.json"), '{"name":"other"}');
    await mkdir(join(folder, "empty"));
    for (const [name, text] of [
      ["cut.json", /cut\.json.*Nothing was deleted\.$/],
      ["package.json", /package\.json.*Nothing was deleted\.$/],
      ["missing.json", /missing\.json does not exist: check the path\. Nothing was deleted\.$/],
      ["empty", /holds no \.json file.* Nothing was deleted\.$/],
    ] as const)
      expect(await refused({ envelopes: [join(folder, name)] })).toMatchObject({
        holdfast: true,
        message: expect.stringMatching(text),
      });
  });

  it("MED-162 stops the whole run: a conversation that no worker answers for", async () => {
    await old("garbage");
    const mute = {
      state: () => freshConversation(),
      before: async () => {
        throw new NoWorkerError("No worker takes conversations: start one.");
      },
    };
    expect(await refused({}, () => ({ mute }))).toMatchObject({
      code: "NoWorkerError",
      message: "No worker takes conversations: start one. Nothing was deleted.",
    });
  });

  it("MED-245 stops the whole run: a closed conversation without a last envelope that cannot be read either", async () => {
    const [garbage] = (await old("garbage")) as [Blob];
    const mute = {
      state: () => freshConversation(),
      before: async () => {
        throw new NoWorkerError("No worker takes conversations.");
      },
    };
    await expect(gc({ delete: true }, undefined, store, { review: mute })).rejects.toMatchObject({
      holdfast: true,
      message: expect.stringMatching(
        /^The last envelope of closed conversation review was not kept.*No worker.* Start a worker for it.* Nothing was deleted\.$/,
      ),
    });
    expect(await kept()).toEqual([garbage.key]);
  });

  it("MED-162 stops the whole run: a last envelope that is gone or damaged, or its pointer", async () => {
    await old("garbage");
    const envelope = sampleEnvelope("anthropic");
    const closed = new ClosedConversations(store, store.path);
    await closed.keep(envelope, SAMPLE_TIME);
    const [pointer] = await closed.list();
    const blob = join(store.path, pointer?.envelope ?? "");
    await writeFile(blob, "{}");
    const why = (wrong: string): RegExp =>
      new RegExp(
        `^The last envelope of closed conversation contract-review \\([0-9a-f]{64}\\.json\\) ${wrong}, and which media it needs, .*that its saves wrote to.* \`holdfast delete contract-review --yes\`\\. Nothing was deleted\\.$`,
      );
    expect(await refused({})).toMatchObject({
      code: "EnvelopeDamagedError",
      message: expect.stringMatching(why("is damaged")),
    });
    await rm(blob);
    const elsewhere = new DirectoryMediaStore(join(folder, "exports"));
    await elsewhere.put(blobOf("garbage").key, blobOf("garbage").bytes);
    for (const options of [{}, { mediaStore: elsewhere.path }])
      expect(await refused(options)).toMatchObject({
        code: "EnvelopeDamagedError",
        message: expect.stringMatching(why("is not in its store")),
      });
    await closed.keep(envelope, SAMPLE_TIME);
    await writeFile(join(store.path, "closed", `${"0".repeat(64)}.json`), "{");
    expect(await refused({})).toMatchObject({
      code: "EnvelopeDamagedError",
      message: expect.stringMatching(/0{64}\.json is damaged.* Nothing was deleted\.$/),
    });
  });
});

describe("beside others", () => {
  it("MED-163 keeps what a conversation names that comes while it runs", async () => {
    const [one, garbage] = (await old("one", "garbage")) as [Blob, Blob];
    let listings = 0;
    const late = conversation(committedWith(one));
    const found = await gc({ delete: true }, () => {
      listings += 1;
      return listings === 1 ? {} : { late };
    });
    expect(keysOf(found.garbage)).toEqual([garbage.key]);
    expect(await kept()).toEqual([one.key]);
  });

  it("MED-163 keeps what is attached again while it runs, at every moment up to its deletion", async () => {
    const texts = ["while reading", "while listing", "while deleting"];
    const [reading, listing, deleting] = (await old(...texts)) as [Blob, Blob, Blob];
    const [garbage] = (await old("garbage")) as [Blob];
    let lists = 0;
    const racing: MediaStore = {
      put: (...given) => store.put(...given),
      get: (...given) => store.get(...given),
      list: async function* () {
        lists += 1;
        if (lists === 2) await store.put(listing.key, listing.bytes);
        yield* store.list();
      },
      delete: () => expect.fail("A blob is deleted by its age."),
      deleteOlder: async (key, before) => {
        if (key === deleting.key) await store.put(key, deleting.bytes);
        return store.deleteOlder(key, before);
      },
    };
    const open = () => ({
      live: { state: () => freshConversation(), before: () => store.put(reading.key, reading.bytes) },
    });
    const found = await gc({ delete: true }, open, racing);
    expect(keysOf(found.garbage)).toEqual([garbage.key]);
    expect(await kept()).toEqual(keysOf([reading, listing, deleting]));
  });

  it("MED-163 finds a conversation that is closed while it runs, in one of its two places", async () => {
    const [one] = (await old("one")) as [Blob];
    let isOpen = true;
    const closing: OpenConversation = {
      state: () => freshConversation(),
      before: async () => {
        isOpen = false;
        const media = { [one.digest]: { mime_type: "text/plain", size_bytes: 3, ref: one.key } };
        const envelope = { ...sampleEnvelope("anthropic"), media };
        await new ClosedConversations(store, store.path).keep(envelope, SAMPLE_TIME);
      },
    };
    const found = await gc({ delete: true }, () => (isOpen ? { closing } : {}));
    expect(found.garbage).toEqual([]);
    expect(await store.get(one.key)).toBeDefined();
  });
});

describe("what writes that were killed have left", () => {
  it("MED-247 is listed once it is a day old, and deleted where told; a file that is being written stays", async () => {
    await mkdir(store.path, { recursive: true });
    const [left, young, other] = [temporaryName(), temporaryName(), ".notes.tmp"];
    for (const name of [left, young, other]) await writeFile(join(store.path, name), "half a file");
    for (const name of [left, other]) await age(name);
    const found = await gc({ olderThanMs: 0 });
    expect(found.leftovers).toMatchObject([{ name: left, size_bytes: 11 }]);
    expect(await readdir(store.path)).toContain(left);
    expect((await gc({ delete: true, olderThanMs: 0 })).leftovers).toEqual(found.leftovers);
    expect((await readdir(store.path)).sort()).toEqual([young, other].sort());
  });
});

describe("leftovers that the store cannot list or delete", () => {
  it("MED-209 take nothing from the report of what was deleted: it says why, in one line", async () => {
    const [garbage] = (await old("garbage")) as [Blob];
    const denied = new MediaStoreUnavailableError("s3://bucket", "Cannot list the uploads: access denied.");
    const failing = Object.assign(new DirectoryMediaStore(store.path), {
      leftovers: () => Promise.reject(denied),
    });
    const report = await gc({ delete: true }, () => ({}), failing);
    expect(report).toMatchObject({ leftovers: [], leftovers_error: denied.message });
    expect(keysOf(report.garbage)).toEqual([garbage.key]);
    expect(await gc()).not.toHaveProperty("leftovers_error");
    const broken = Object.assign(new DirectoryMediaStore(store.path), {
      leftovers: () => Promise.reject(new TypeError("a bug")),
    });
    await expect(gc({}, () => ({}), broken)).rejects.toThrow("a bug");
  });
});

describe("stores", () => {
  it("MED-165 a store that cannot list or delete is refused in one line", async () => {
    const { key, bytes } = blobOf("one");
    await store.put(key, bytes);
    const bare: MediaStore = {
      put: (...given) => store.put(...given),
      get: (...given) => store.get(...given),
    };
    await expect(gc({ delete: true }, () => ({}), bare)).rejects.toMatchObject({
      code: "UsageError",
      message: expect.stringMatching(/has no `list` and `delete`/),
    });
  });

  it("MED-165 external payloads are never garbage, nor is their store looked through", async () => {
    const payload = `${"1".repeat(64)}.payload`;
    await old("garbage");
    await writeFile(join(store.path, payload), "x");
    await age(payload);
    await gc({ delete: true });
    expect(await kept()).toEqual([payload]);
    await expect(gc({ mediaStore: `${store.path}-payloads` })).rejects.toMatchObject({
      code: "UsageError",
      message: expect.stringMatching(
        /-payloads is the store of external payloads .*gc never touches them\.$/,
      ),
    });
  });

  it("MED-165 another store is looked through in the same way, with the closed conversations beside it", async () => {
    const [here] = (await old("here")) as [Blob];
    const elsewhere = new DirectoryMediaStore(join(folder, "exports"));
    const [named, garbage] = [blobOf("named"), blobOf("garbage")];
    for (const { key, bytes } of [named, garbage]) {
      await elsewhere.put(key, bytes);
      await utimes(join(elsewhere.path, key), LONG_AGO, LONG_AGO);
    }
    const open = () => ({ live: conversation(committedWith(named)) });
    const found = await gc({ delete: true, mediaStore: elsewhere.path }, open);
    expect([found.store, keysOf(found.garbage)]).toEqual([elsewhere.path, [garbage.key]]);
    expect(await elsewhere.get(named.key)).toBeDefined();
    expect(await store.get(here.key)).toBeDefined();
  });

  it("MED-260 another store that is a folder has to be there", async () => {
    const missing = join(folder, "exprots");
    const error = await gc({ mediaStore: missing }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "UsageError",
      message: `There is no media store at ${missing}: check the path of its folder.`,
    });
  });

  it("MED-165 a registered store is looked through by its name", async () => {
    const archive = new DirectoryMediaStore(join(folder, "archive"));
    const { key, bytes } = blobOf("garbage");
    await archive.put(key, bytes);
    await utimes(join(archive.path, key), LONG_AGO, LONG_AGO);
    const context = garbageContext({ folder: store.path, store, stores: { archive } });
    const found = await collectGarbage(context, { mediaStore: "archive", delete: true });
    expect([found.store, keysOf(found.garbage)]).toEqual(["archive", [key]]);
    expect(await archive.get(key)).toBeUndefined();
  });

  it("MED-160 wrong options are refused before anything is read", async () => {
    for (const options of [
      { olderThanMs: -1 },
      { olderThanMs: Number.NaN },
      { envelopes: "checkpoints" as unknown as readonly string[] },
      { dryRun: true } as GarbageOptions,
    ])
      await expect(gc(options)).rejects.toMatchObject({ code: "UsageError" });
  });
});

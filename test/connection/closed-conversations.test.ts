import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ClosedConversations } from "../../src/connection/closed-conversations.js";
import { openMediaStore } from "../../src/connection/open-media-store.js";
import { EnvelopeDamagedError } from "../../src/core/errors/errors.js";
import { DirectoryMediaStore } from "../../src/media-stores/directory-media-store.js";
import { MemoryMediaStore } from "../../src/media-stores/memory-media-store.js";
import { sampleEnvelope } from "../support/envelope-samples.js";
import { S3_START_MS, startS3Server } from "../support/s3-server.js";

const AT = "2026-03-01T00:00:00.000Z";
let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "holdfast-closed-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const closedIn = (folder: string): ClosedConversations =>
  new ClosedConversations(new DirectoryMediaStore(folder), folder);
const pointerName = (id: string): string => `${createHash("sha256").update(id).digest("hex")}.json`;

describe("closed conversations", () => {
  it("CON-34 keep their last envelope as a blob, and a pointer named by the SHA-256 of the id", async () => {
    const id = "../an id/with: anything\u0000in it 🙂";
    await closedIn(root).keep(sampleEnvelope("anthropic", 2, { conversation_id: id }), AT);
    expect(await readdir(join(root, "closed"))).toEqual([pointerName(id)]);
    const closed = closedIn(root);
    expect(await closed.find(id)).toMatchObject({
      conversation_id: id,
      closed_at: AT,
      provider: "anthropic",
      model: "claude-haiku-4-5",
      run_count: 2,
    });
    expect((await closed.open(id))?.messages).toHaveLength(4);
  });

  it("CON-35 are readable by their owner only", async () => {
    await closedIn(root).keep(sampleEnvelope("anthropic"), AT);
    const pointer = join(root, "closed", pointerName("contract-review"));
    expect(((await stat(pointer)).mode & 0o777).toString(8)).toBe("600");
    expect(((await stat(join(root, "closed"))).mode & 0o777).toString(8)).toBe("700");
  });

  it("CON-36 are listed in the order in which they were closed; the last close of an id counts", async () => {
    const closed = closedIn(root);
    const close = (conversation_id: string, turns: number, at: string) =>
      closed.keep(sampleEnvelope("anthropic", turns, { conversation_id }), at);
    await close("b", 1, "2026-03-02T00:00:00.000Z");
    await close("a", 1, "2026-03-03T00:00:00.000Z");
    await close("a", 2, AT);
    expect(
      (await closed.list()).map(({ conversation_id, run_count }) => [conversation_id, run_count]),
    ).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
  });

  it("CON-37 are none where nothing was closed; what is no pointer is passed over", async () => {
    const closed = closedIn(root);
    expect([await closed.list(), await closed.find("a"), await closed.open("a")]).toEqual([
      [],
      undefined,
      undefined,
    ]);
    await closed.keep(sampleEnvelope("anthropic"), AT);
    const strays = [
      "",
      "[]",
      "{",
      '{"conversation_id":"x"}',
      '{"conversation_id":"x","envelope":"../../etc"}',
    ];
    for (const [index, text] of strays.entries()) {
      await writeFile(join(root, "closed", `${index}.json`), text);
    }
    await writeFile(join(root, "closed", "notes.txt"), "not one of them");
    expect(await closed.list()).toHaveLength(1);
  });

  it("CON-38 whose envelope is gone are refused with the remedy, never taken for unknown", async () => {
    await closedIn(root).keep(sampleEnvelope("anthropic"), AT);
    const elsewhere = new ClosedConversations(new MemoryMediaStore(), root);
    await expect(elsewhere.open("contract-review")).rejects.toThrow(EnvelopeDamagedError);
    await expect(elsewhere.open("contract-review")).rejects.toThrow(
      /last envelope of "contract-review" is not in the media store.*HOLDFAST_MEDIA_STORE/,
    );
  });

  it("CON-120 are deleted with their blob, unless another pointer names it", async () => {
    const closed = closedIn(root);
    await closed.keep(sampleEnvelope("anthropic"), AT);
    const file = (id: string): string => join(root, "closed", pointerName(id));
    const pointer = await readFile(file("contract-review"), "utf8");
    const { envelope } = JSON.parse(pointer);
    await writeFile(file("twin"), pointer.replace("contract-review", "twin"));
    await writeFile(file("damaged"), "{");
    expect(await closed.delete("contract-review")).toEqual({ found: true, envelope: null });
    expect(await closed.delete("damaged")).toEqual({ found: true, envelope: null });
    expect(await readdir(root)).toContain(envelope);
    expect(await closed.delete("twin")).toEqual({ found: true, envelope });
    expect(await readdir(root)).not.toContain(envelope);
    expect(await readdir(join(root, "closed"))).toEqual([]);
    expect(await closed.delete("twin")).toEqual({ found: false, envelope: null });
  });

  it(
    "CON-83 on S3 lie beside the blobs of the working store, which does not list them",
    async () => {
      await using s3 = await startS3Server();
      for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value);
      const { bucket, folder } = await s3.makeBucket();
      for (const [root, prefix] of [
        [`s3://${bucket}`, ""],
        [`s3://${bucket}/team/media`, "team/media"],
      ] as const) {
        const open = () => new ClosedConversations(openMediaStore(root), root);
        expect([await open().list(), await open().find("a"), await open().open("a")]).toEqual([
          [],
          undefined,
          undefined,
        ]);
        const id = "../an id/with: anything";
        await open().keep(sampleEnvelope("anthropic", 2, { conversation_id: id }), AT);
        await open().keep(sampleEnvelope("anthropic", 3, { conversation_id: id }), AT);
        expect(await readdir(join(folder, prefix, "closed"))).toEqual([pointerName(id)]);
        await writeFile(join(folder, prefix, "closed", "stray.json"), "{");
        expect(await open().list()).toMatchObject([{ conversation_id: id, run_count: 3 }]);
        expect((await open().open(id))?.messages).toHaveLength(6);
        const keys: string[] = [];
        for await (const { key } of openMediaStore(root).list?.() ?? []) keys.push(key);
        expect(keys).toHaveLength(2);
        expect(keys.filter((key) => !key.endsWith(".json"))).toEqual([]);
        const { envelope } = (await open().find(id)) ?? {};
        expect(await open().delete(id)).toEqual({ found: true, envelope });
        expect(await open().delete(id)).toEqual({ found: false, envelope: null });
        expect(await openMediaStore(root).get(envelope ?? "")).toBeUndefined();
      }
      vi.unstubAllEnvs();
    },
    S3_START_MS,
  );

  it("CON-84 on S3 that cannot be reached are an error, never taken for none", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "a");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "b");
    const root = "s3://bucket/media?endpoint=http://127.0.0.1:9";
    const closed = new ClosedConversations(openMediaStore(root), root);
    await expect(closed.find("a")).rejects.toThrow(
      /at s3:\/\/bucket\/media\/closed: the service does not answer/,
    );
    await expect(closed.list()).rejects.toThrow("the service does not answer");
    vi.unstubAllEnvs();
  });
});

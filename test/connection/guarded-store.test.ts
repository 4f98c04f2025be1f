import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { guardedStore } from "../../src/connection/guarded-store.js";
import type { MediaStore } from "../../src/core/media/media-store.js";
import { collect as bytesOf } from "../../src/media-stores/collect.js";
import { streamOf } from "../../src/media-stores/stream-from.js";
import { collect } from "../support/collect.js";

const BYTES = Buffer.from("%PDF-1.7 the contract");
const KEY = `${createHash("sha256").update(BYTES).digest("hex")}.pdf`;
const PATIENCE = { patienceMs: 40 };

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
async function* oneThenNothing<T>(value: T): AsyncGenerator<T, void, undefined> {
  yield value;
  await never();
}

/** Takes everything, and answers nothing. */
const silent: MediaStore = {
  put: () => never(),
  get: () => never(),
  putStream: () => never(),
  getStream: async () => oneThenNothing(BYTES),
  list: () => oneThenNothing({ key: KEY, size_bytes: 1, modified_at: "2026-01-01T00:00:00.000Z" }),
  delete: () => never(),
  deleteOlder: () => never(),
  leftovers: () => never(),
};

describe("a store of the user's own that goes silent", () => {
  const store = guardedStore(silent, '"vault"', PATIENCE);

  it.each<readonly [string, () => Promise<unknown> | undefined]>([
    [`take ${KEY}`, () => store.put(KEY, BYTES)],
    [`give ${KEY}`, () => store.get(KEY)],
    [`take ${KEY}`, () => store.putStream?.(KEY, streamOf(BYTES))],
    [`give ${KEY}`, async () => bytesOf((await store.getStream?.(KEY)) ?? expect.fail("no stream"))],
    ["list its blobs", () => collect(store.list?.() ?? expect.fail("no list"))],
    [`delete ${KEY}`, () => store.delete?.(KEY)],
    [`delete ${KEY}`, () => store.deleteOlder?.(KEY, new Date())],
    ["list what was left", () => store.leftovers?.(new Date())],
  ])("MED-217 is given up, with one line that names it: %s", async (doing, call) => {
    await expect(call()).rejects.toMatchObject({
      code: "MediaStoreUnavailableError",
      message: `The media store "vault" cannot ${doing}: nothing has come of it for 0.04 s. Mend the store, or name another.`,
    });
  });

  it("MED-217 is left at once at the caller's abort, though it heeds no signal", async () => {
    const patient = guardedStore(silent, '"vault"');
    const reason = new Error("enough");
    const controller = new AbortController();
    const calls = [
      patient.put(KEY, BYTES, { signal: controller.signal }),
      patient.get(KEY, { signal: controller.signal }),
    ];
    controller.abort(reason);
    expect(await Promise.allSettled(calls)).toMatchObject([{ reason }, { reason }]);
  });

  it("MED-217 is not one whose source takes its time, or that gives chunk after chunk", async () => {
    const kept: Uint8Array[] = [];
    const slow: MediaStore = {
      ...silent,
      putStream: async (_key, source) => {
        for await (const chunk of source) kept.push(chunk);
      },
      getStream: async () => pieces(15),
    };
    async function* pieces(pauseMs: number): AsyncGenerator<Uint8Array, void, undefined> {
      for (let at = 0; at < BYTES.length; at += 5) {
        await delay(pauseMs);
        yield BYTES.subarray(at, at + 5);
      }
    }
    const guarded = guardedStore(slow, '"vault"', { patienceMs: 60 });
    await guarded.putStream?.(KEY, pieces(80));
    expect(Buffer.concat(kept)).toEqual(BYTES);
    const own = guardedStore(slow, '"vault"', { patienceMs: 5_000 });
    expect(await bytesOf((await own.getStream?.(KEY)) ?? expect.fail("no stream"))).toEqual(BYTES);
  });
});

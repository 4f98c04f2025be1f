import { describe, expect, it } from "vitest";
import { TranscriptCache } from "../../src/activities/transcript-cache.js";
import type { NativeMessage } from "../../src/core/envelope/envelope.js";
import { EMPTY_ROOT, extendRoot } from "../../src/core/hash.js";

const historyOf = (name: string, bytes: number): readonly NativeMessage[] => [
  { role: "user", content: name.padEnd(bytes, "x") },
];
const agent = { model: "claude-haiku-4-5", instructions: "Be brief.", tools: [], params: {} };

describe("TranscriptCache", () => {
  it("ACT-9 knows the empty history, and others by their digest", () => {
    const cache = new TranscriptCache();
    const history = historyOf("a", 100);
    const root = extendRoot(EMPTY_ROOT, history);
    expect(cache.messages(EMPTY_ROOT)).toEqual([]);
    expect(cache.messages(root)).toBeUndefined();
    cache.keep(root, history);
    expect(cache.messages(root)).toBe(history);
    cache.forget(root);
    expect(cache.messages(root)).toBeUndefined();
  });

  it("ACT-10 is bounded in bytes: what was used last stays, what is larger than all of it is not kept", () => {
    const cache = new TranscriptCache(2_500);
    const roots = ["a", "b", "c"].map((name) => {
      const history = historyOf(name, 1_000);
      const root = extendRoot(EMPTY_ROOT, history);
      cache.keep(root, history);
      return root;
    });
    expect(roots.map((root) => cache.messages(root) !== undefined)).toEqual([false, true, true]);
    const large = historyOf("large", 3_000);
    const root = extendRoot(EMPTY_ROOT, large);
    cache.keep(root, large);
    expect(cache.messages(root)).toBeUndefined();
  });

  it("ACT-11 counts a history that grew with all of its bytes", () => {
    const cache = new TranscriptCache(2_500);
    const first = historyOf("a", 1_000);
    const root = extendRoot(EMPTY_ROOT, first);
    cache.keep(root, first);
    const more = historyOf("b", 1_400);
    const longer = extendRoot(root, more);
    cache.keep(longer, [...first, ...more], root);
    expect(cache.messages(longer)).toHaveLength(2);
    expect(cache.messages(root)).toBeUndefined();
    const evenMore = extendRoot(longer, more);
    cache.keep(evenMore, [...first, ...more, ...more], longer);
    expect(cache.messages(evenMore)).toBeUndefined();
  });

  it("ACT-12 keeps agents by their digest, bounded in bytes as well", () => {
    const cache = new TranscriptCache(80_000);
    const context = (size: number) => ({
      agent: { ...agent, instructions: "x".repeat(size) },
      system: null,
      served: [],
    });
    cache.keepAgent("a", context(4_000));
    expect(cache.agent("a")).toEqual(context(4_000));
    cache.keepAgent("b", context(4_000));
    cache.keepAgent("c", context(4_000));
    expect(cache.agent("a")).toBeUndefined();
    cache.keepAgent("large", context(20_000));
    expect(cache.agent("large")).toBeUndefined();
  });

  it("ACT-114 keeps the media table of a run at a root, bounded in bytes", () => {
    const cache = new TranscriptCache(16_000);
    const root = extendRoot(EMPTY_ROOT, historyOf("a", 100));
    const table = { ["a".repeat(64)]: { mime_type: "audio/wav", size_bytes: 3, name: "x".repeat(500) } };
    cache.keepMedia("run", root, table);
    expect(cache.media("run", root)).toBe(table);
    expect(cache.media("copy", root)).toBeUndefined();
    expect(cache.media("run", EMPTY_ROOT)).toBeUndefined();
    cache.keepMedia("copy", root, table);
    expect(cache.media("run", root)).toBeUndefined();
  });
});

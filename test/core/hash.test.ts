import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentDigest, canonicalJson, EMPTY_ROOT, extendRoot, sha256Hex } from "../../src/core/hash.js";
import type { JsonValue } from "../../src/core/json.js";

describe("hashes", () => {
  it("CNV-88 are the SHA-256 of a text's UTF-8", () => {
    for (const text of ["", "abc", "é語🙂", "x".repeat(10_000)]) {
      expect(sha256Hex(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
    }
  });

  it("CNV-89 of JSON do not depend on the order of keys, and take half characters", () => {
    expect(canonicalJson({ b: 1, a: [{ d: 2, c: null }] })).toBe('{"a":[{"c":null,"d":2}],"b":1}');
    expect(canonicalJson({ a: "\ud83d", "\udc00": 1 })).toBe('{"a":"\ufffd","\ufffd":1}');
    expect(canonicalJson(undefined)).toBe("null");
    const spec = { model: "claude-haiku-4-5", instructions: "", tools: [], params: {} };
    const reordered = { params: {}, tools: [], instructions: "", model: "claude-haiku-4-5" };
    const context = { agent: spec, system: null, served: [] };
    expect(agentDigest(context)).toBe(agentDigest({ served: [], system: null, agent: reordered }));
    expect(agentDigest({ ...context, system: "Be brief." })).not.toBe(agentDigest(context));
  });
});

describe("the root of a history", () => {
  it("CNV-90 is the same whether messages came at once, one by one or through JSON", () => {
    const message = fc.jsonValue().map((value): JsonValue => JSON.parse(JSON.stringify({ value })));
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), fc.nat(6), (messages, at) => {
        const whole = extendRoot(EMPTY_ROOT, messages);
        expect(whole.count).toBe(messages.length);
        const first = extendRoot(EMPTY_ROOT, messages.slice(0, at));
        expect(extendRoot(first, messages.slice(at))).toEqual(whole);
        expect(extendRoot(EMPTY_ROOT, JSON.parse(JSON.stringify(messages)))).toEqual(whole);
      }),
    );
  });

  it("CNV-91 differs for every other content, order and count", () => {
    const [a, b] = [{ text: "a" }, { text: "b" }];
    const lists = [[], [a], [b], [a, b], [b, a], [a, a], [[a, b]], [{ text: "ab" }]];
    const digests = lists.map((list) => extendRoot(EMPTY_ROOT, list).digest);
    expect(new Set(digests).size).toBe(lists.length);
    expect(digests.every((digest) => /^[0-9a-f]{64}$/.test(digest))).toBe(true);
  });
});

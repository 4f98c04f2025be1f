import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checksumOf } from "../../../src/core/envelope/checksum.js";
import type { Envelope } from "../../../src/core/envelope/envelope.js";
import { parseEnvelope, readEnvelope } from "../../../src/core/envelope/parse-envelope.js";
import {
  ENVELOPE_KEYS,
  sealEnvelope,
  serialiseEnvelope,
  unknownKeysOf,
} from "../../../src/core/envelope/serialise-envelope.js";
import { PROVIDER_NAMES } from "../../../src/core/providers.js";
import { fullEnvelope, sampleEnvelope } from "../../support/envelope-samples.js";

/** Any JSON that a file may hold, as JSON itself gives it back. */
const anyJson = fc
  .jsonValue({ maxDepth: 4 })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
  .filter((value) => !JSON.stringify(value).includes('"__proto__"'));

describe("serialiseEnvelope", () => {
  it("ENV-2 writes what reads back equal, for every provider", () => {
    for (const provider of PROVIDER_NAMES) {
      const sealed = sealEnvelope(sampleEnvelope(provider));
      expect(parseEnvelope(serialiseEnvelope(sealed))).toEqual({ envelope: sealed, migratedFrom: 3 });
    }
    const full = sealEnvelope(fullEnvelope());
    expect(parseEnvelope(serialiseEnvelope(full)).envelope).toEqual(full);
  });

  it("ENV-2 keeps any JSON inside messages and in the attic", () => {
    fc.assert(
      fc.property(anyJson, (content) => {
        const block = { type: "tool_use", id: "call-1", name: "look_up", input: content };
        const messages = [
          { role: "user", content: "Go" },
          { role: "assistant", content: [block] },
        ];
        const envelope = sealEnvelope(sampleEnvelope("anthropic", 1, { messages, attic: [{ content }] }));
        expect(parseEnvelope(serialiseEnvelope(envelope)).envelope).toEqual(envelope);
      }),
      { numRuns: 50 },
    );
  });

  it("ENV-3 writes one line of compact JSON, known keys in the order of the schema and unknown ones behind", () => {
    const { messages, ...rest } = fullEnvelope();
    const text = serialiseEnvelope({ zebra: 1, ...rest, messages } as Envelope);
    expect(text.endsWith("}\n")).toBe(true);
    expect(text.trimEnd()).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.keys(JSON.parse(text))).toEqual([...ENVELOPE_KEYS, "zebra", "host_note"]);
  });

  it("ENV-4 keeps unknown keys, at the top and inside known objects", () => {
    const envelope = sampleEnvelope("openai", 1, { host: { ids: [1] } });
    const noted = { ...envelope, metadata: { ...envelope.metadata, label: "urgent" } };
    const { envelope: again } = parseEnvelope(serialiseEnvelope(noted));
    expect(unknownKeysOf(again)).toEqual({ host: { ids: [1] } });
    expect(again.metadata.label).toBe("urgent");
  });

  it("ENV-5 has a checksum that does not depend on the order of keys", () => {
    const sealed = sealEnvelope(fullEnvelope());
    const reordered = Object.fromEntries(Object.entries(sealed).reverse());
    expect(readEnvelope(reordered).envelope.checksum).toBe(sealed.checksum);
    expect(sealed.checksum).toMatch(/^[0-9a-f]{64}$/);
  });

  it("ENV-5 replaces a checksum that no longer fits", () => {
    const stale = { ...sealEnvelope(sampleEnvelope("google")), model: "gemini-4-pro" };
    const { envelope } = parseEnvelope(serialiseEnvelope(stale));
    expect(envelope.checksum).toBe(checksumOf(stale));
  });

  it("ENV-6 saves and reads a lone surrogate", () => {
    const messages = [{ role: "user", content: "half a \ud83d smile" }];
    const envelope = sealEnvelope(sampleEnvelope("fireworks", 0, { messages }));
    const bytes = Buffer.from(serialiseEnvelope(envelope));
    expect(parseEnvelope(bytes.toString()).envelope.messages).toEqual(messages);
  });

  it("ENV-7 refuses to write what could not be read back", () => {
    const evil = JSON.parse('{"__proto__": {"a": 1}}');
    for (const host of [evil, { at: new Date(0) }, { size: Number.NaN }]) {
      expect(() => serialiseEnvelope(sampleEnvelope("anthropic", 1, { host }))).toThrow(
        /^The envelope cannot be written: host/,
      );
    }
  });

  it("ENV-2 writes and reads ten thousand messages", () => {
    const envelope = sealEnvelope(sampleEnvelope("anthropic", 5_000));
    const { messages } = parseEnvelope(serialiseEnvelope(envelope)).envelope;
    expect(messages).toHaveLength(10_000);
    expect(messages.at(-1)).toEqual(envelope.messages.at(-1));
  });
});

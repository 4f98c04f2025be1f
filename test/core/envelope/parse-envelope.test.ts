import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { convertEnvelope } from "../../../src/core/envelope/convert-envelope.js";
import { parseEnvelope, readEnvelope } from "../../../src/core/envelope/parse-envelope.js";
import { type ParsedEnvelope, readEnvelopeWith } from "../../../src/core/envelope/read-envelope.js";
import { sealEnvelope, serialiseEnvelope } from "../../../src/core/envelope/serialise-envelope.js";
import {
  EnvelopeDamagedError,
  EnvelopeFromFutureError,
  InvalidHistoryError,
} from "../../../src/core/errors/errors.js";
import { fullEnvelope, sampleEnvelope } from "../../support/envelope-samples.js";

function refusal(read: () => ParsedEnvelope): Error {
  try {
    read();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("It was read.");
}
const refused = (text: string) => refusal(() => parseEnvelope(text, { source: "review.json" }));
const refusedValue = (change: Readonly<Record<string, unknown>>) =>
  refusal(() => readEnvelope({ ...sampleEnvelope("anthropic"), ...change }));
const nested = (levels: number, inner: unknown): unknown =>
  levels === 0 ? inner : { deeper: nested(levels - 1, inner) };

describe("parseEnvelope", () => {
  it("ENV-8 refuses a wrong checksum and names the remedy", () => {
    const sealed = sealEnvelope(fullEnvelope());
    const error = refusal(() => readEnvelope({ ...sealed, system: "changed" }));
    expect(error).toBeInstanceOf(EnvelopeDamagedError);
    expect(error.message).toContain("`holdfast inspect FILE --reseal`");
    expect(refusal(() => readEnvelope({ ...sealed, checksum: null })).message).toContain("checksum");
  });

  it("ENV-8 accepts an envelope without a checksum", () => {
    const { checksum: _, ...unsealed } = sealEnvelope(sampleEnvelope("anthropic"));
    expect(readEnvelope(unsealed).envelope).toEqual(unsealed);
  });

  it("ENV-8 reads past a wrong checksum when it is asked to, so that the envelope can be sealed anew", () => {
    const edited = { ...sealEnvelope(sampleEnvelope("anthropic")), system: "edited on purpose" };
    const { envelope } = readEnvelope(edited, { ignoreChecksum: true });
    expect(parseEnvelope(serialiseEnvelope(envelope)).envelope.system).toBe("edited on purpose");
  });

  it("ENV-9 refuses a version from the future and says to upgrade", () => {
    const error = refusedValue({ schema_version: 4, messages: "a new idea", checksum: "of another kind" });
    expect(error).toBeInstanceOf(EnvelopeFromFutureError);
    expect(error.message).toMatch(/schema version 4, .* reads up to 3\. Upgrade holdfast/);
  });

  it("ENV-10 refuses a version that is no whole number from 1 on", () => {
    for (const schema_version of [0, -1, 2.5, "3", null, true, [3]]) {
      const error = refusedValue({ schema_version });
      expect(error).toBeInstanceOf(EnvelopeDamagedError);
      expect(error.message).toContain("schema_version: expected a whole number from 1 to 3");
    }
    expect(refusedValue({ schema_version: undefined })).toBeInstanceOf(EnvelopeDamagedError);
  });

  it("ENV-11 says in one line that a text is empty, cut off, binary or no JSON", () => {
    const whole = serialiseEnvelope(fullEnvelope());
    const cases: readonly (readonly [string, string])[] = [
      ["", "is empty"],
      [" \n\t", "is empty"],
      [whole.slice(0, 700), "is cut off after 700 characters"],
      [whole.slice(0, -2), "is cut off"],
      [gzipSync(whole).toString(), "is not text but binary data"],
      [Buffer.from([0x25, 0x50, 0x44, 0x46, 0xe2, 0xe3]).toString(), "is not text but binary data"],
      ["{ schema_version: 3 }", "is not valid JSON"],
      ["{\n  oops\n}", "is not valid JSON"],
      ["Dear Sir or Madam", "is not JSON"],
    ];
    for (const [text, expected] of cases) {
      const error = refused(text);
      expect(error).toBeInstanceOf(EnvelopeDamagedError);
      expect(error.message).toContain(`review.json ${expected}`);
      expect(error.message).not.toContain("\n");
    }
  });

  it("ENV-11 never takes any part of a file for a whole one", () => {
    const whole = serialiseEnvelope(sampleEnvelope("openai", 1)).trimEnd();
    for (let length = 0; length < whole.length; length += 7) {
      expect(refused(whole.slice(0, length))).toBeInstanceOf(EnvelopeDamagedError);
    }
  });

  it("ENV-12 says what a JSON document is that is no envelope", () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [[], "a list"],
      [[{ role: "user", content: "Hi" }], "a list of messages"],
      [{ id: "resp_1", object: "response", output: [] }, "an OpenAI Responses reply"],
      [{ object: "chat.completion", choices: [] }, "an OpenAI chat completion"],
      [{ type: "message", role: "assistant", content: [] }, "an Anthropic reply"],
      [{ candidates: [] }, "a Gemini reply"],
      [{ lc: 1, type: "constructor", id: ["langchain"], kwargs: {} }, "a LangChain dump"],
      [{ messages: [] }, "a bare history"],
      [{ ...sampleEnvelope("openai"), schema_version: undefined }, "an envelope that has lost it"],
      [{}, "some other JSON document"],
      ["hello", "a string"],
      [null, "null"],
    ];
    for (const [document, expected] of cases) {
      const error = refusal(() => readEnvelope(document));
      expect(error).toBeInstanceOf(EnvelopeDamagedError);
      expect(error.message).toContain(`not a Holdfast envelope`);
      expect(error.message).toContain(expected);
    }
    expect(refused("42").message).toContain("a number");
  });

  it("ENV-13 refuses __proto__ wherever it stands", () => {
    const whole = serialiseEnvelope(sampleEnvelope("anthropic"));
    for (const place of ['"metadata":{', '"params":{', '{"role":"user",', '"accounting":{']) {
      const error = refused(whole.replace(place, `${place}"__proto__":{"polluted":true},`));
      expect(error).toBeInstanceOf(EnvelopeDamagedError);
      expect(error.message).toContain("__proto__");
    }
    expect(refused('{"__proto__":{"schema_version":3}}').message).toContain("__proto__");
  });

  it("ENV-13 refuses constructor and prototype as keys, but not inside what a provider or a tool has written", () => {
    for (const key of ["constructor", "prototype"]) {
      expect(refusedValue({ [key]: {} }).message).toContain(key);
      expect(refusedValue({ media: { [key]: {} } }).message).toContain(key);
      expect(refusedValue({ host: { deep: { [key]: 1 } } }).message).toContain(`host.deep.${key}`);
    }
    const input = { constructor: "Ferrari" };
    const messages = [{ role: "assistant", content: [{ type: "tool_use", id: "1", name: "race", input }] }];
    expect(readEnvelope(sampleEnvelope("anthropic", 0, { messages })).envelope.messages).toEqual(messages);
  });

  it("ENV-14 refuses nesting beyond 200 levels with a clear line, however deep it is", () => {
    expect(readEnvelope(sampleEnvelope("anthropic", 1, { host: nested(199, 1) })).migratedFrom).toBe(3);
    expect(refusedValue({ host: nested(201, 1) }).message).toContain("at most 200 levels of nesting");
    const deep = `{"schema_version":3,"host":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(refused(deep).message).toContain("at most 200 levels of nesting");
  });

  it("ENV-15 checks every known key and says where, what was expected and what was found", () => {
    const cases: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
      [{ conversation_id: 7 }, "conversation_id: expected a text, found 7"],
      [{ created_at: "yesterday" }, "created_at: expected a time"],
      [{ saved_at: undefined }, "saved_at: expected a time such as 2026-01-31T12:00:00.000Z, found nothing"],
      [{ provider: "mistral" }, 'provider: expected one of "anthropic", "openai"'],
      [{ model: "" }, "model: expected a text that is not empty"],
      [{ agent: 3 }, "agent: expected an object, found 3"],
      [
        { agent: { model: "m", instructions: "", params: {}, tools: [{ name: "a b" }] } },
        "agent.tools[0].name",
      ],
      [{ system: {} }, "system: expected a text, found an object"],
      [
        { prefix: { fingerprint: "x", instructions_sha256: "y", tools: [] } },
        "prefix.fingerprint: expected a SHA-256",
      ],
      [{ messages: {} }, "messages: expected a list"],
      [{ messages: ["Hi"] }, "messages[0]: expected an object"],
      [{ turn_index: [{ turn_id: "a", state: "lost" }] }, 'turn_index[0].state: expected one of "committed"'],
      [{ turn_index: [{ turn_id: "a", state: "interrupted" }] }, "turn_index[0].record: expected an object"],
      [
        { metadata: { run_count: "2", served_models: [] } },
        'metadata.run_count: expected a whole number of 0 or more, found "2"',
      ],
      [{ metadata: { run_count: 2, served_models: ["x"] } }, "metadata.served_models[0]: expected an object"],
      [{ accounting: { turns: [], totals: {} } }, "accounting.totals.turns"],
      [{ interrupted_turn: { error_type: "x" } }, "interrupted_turn.error: expected a text"],
      [{ media_policy: "auto" }, 'media_policy: expected one of "inline"'],
      [{ media: { "../../etc/passwd": {} } }, "media: expected a SHA-256"],
      [
        { media: { ["ab".repeat(32)]: { mime_type: "a/b", size_bytes: 1, ref: "../x.pdf" } } },
        ".ref: expected <64 hex",
      ],
      [{ media_report: [{ reason: "lost" }] }, "media_report[0].reason"],
      [{ converted_from: "compatible" }, "converted_from: expected one of"],
      [{ conversion_report: [{ kind: "gone", index: 0 }] }, "conversion_report[0].kind"],
      [{ attic: [null] }, "attic[0]: expected an object, found null"],
      [{ copied_from: { conversation_id: "a" } }, "copied_from.turn"],
    ];
    for (const [change, expected] of cases) {
      const error = refusedValue(change);
      expect(error, expected).toBeInstanceOf(EnvelopeDamagedError);
      expect(error.message).toContain(expected);
      expect(error.message).not.toContain("\n");
    }
  });

  it("ENV-15 lists every problem on the error and counts those that the message does not name", () => {
    const error = refusedValue({ created_at: 1, saved_at: 2, model: 3, system: 4, attic: 5 });
    expect(error).toMatchObject({ issues: { length: 5 } });
    expect(error.message).toContain("; and 2 more.");
  });

  it("ENV-16 refuses messages that are not valid in their own dialect, each with its index", () => {
    const messages = [
      { role: "user", content: "Hi" },
      { role: "model", content: 4 },
    ];
    const error = refusedValue({ messages, turn_index: [] });
    expect(error).toBeInstanceOf(InvalidHistoryError);
    expect(error.message).toMatch(/not valid for anthropic: messages\[1\]\.role: expected/);
    expect((error as InvalidHistoryError).issues.map(({ index }) => index)).toEqual([1, 1]);
  });

  it("ENV-48 refuses messages in the attic that are not valid in their dialect", () => {
    const unit = { dialect: "openai", from: 0, to: 1, messages: [{ role: "user", content: 5 }] };
    const error = refusedValue({ attic: [{ ...unit, messages: [] }, unit] });
    expect(error).toBeInstanceOf(EnvelopeDamagedError);
    expect(error.message).toMatch(/ is damaged: attic\[1\]\.messages\[0\]\.content: expected /);
  });

  it("ENV-49 reads nothing of an attic's entries that are not of its form", () => {
    const attic = [
      { dialect: "openai", from: -5, to: 1e9, messages: [5, "x", null] },
      { dialect: "openai", from: 3, to: 1, messages: [] },
      { dialect: "openai", from: 0.5, to: 1, messages: [] },
      { dialect: "openai", model: 5, system: 7, upto: 1.5 },
      { dialect: "klingon", model: "m", system: null, upto: 1 },
    ];
    const { envelope } = readEnvelope({ ...sampleEnvelope("anthropic", 2), attic });
    expect(envelope.attic).toEqual(attic);
    const target = { provider: "openai", model: "gpt-6-luna" } as const;
    const plain = convertEnvelope({ ...envelope, attic: [] }, target);
    expect(convertEnvelope(envelope, target).messages).toEqual(plain.messages);
  });

  it("ENV-16 asks the dialect of the envelope's provider about each message", () => {
    const asked: unknown[] = [];
    readEnvelopeWith(
      (provider) => ({
        checkMessage: (value, index) => {
          asked.push([provider, index, value]);
          return [];
        },
        startsTurn: () => false,
        capabilities: { endpoint: "fake" },
      }),
      sampleEnvelope("compatible", 1),
    );
    const [question, answer] = sampleEnvelope("compatible", 1).messages;
    expect(asked).toEqual([
      ["compatible", 0, question],
      ["compatible", 1, answer],
    ]);
  });

  it("ENV-17 refuses turns that overlap, lie outside the history or share an id", () => {
    const sample = sampleEnvelope("anthropic");
    const [first, second] = sample.turn_index;
    const cases: readonly (readonly [unknown[], string])[] = [
      [
        [first, { ...second, from: 1 }],
        "turn_index[1]: expected a turn between messages 2 and 4, found 1 to 4",
      ],
      [
        [first, { ...second, to: 5 }],
        "turn_index[1]: expected a turn between messages 2 and 4, found 2 to 5",
      ],
      [[{ ...first, from: 2, to: 0 }], "turn_index[0]"],
      [
        [first, { ...second, turn_id: "turn-1" }],
        'turn_index[1].turn_id: expected an id of its own, found "turn-1" again',
      ],
    ];
    for (const [turn_index, expected] of cases)
      expect(refusedValue({ turn_index }).message).toContain(expected);
  });

  it("ENV-18 refuses a media table that names a blob of another digest", () => {
    const [one, other] = ["ab".repeat(32), "cd".repeat(32)];
    const media = { [one]: { mime_type: "application/pdf", size_bytes: 1, ref: `${other}.pdf` } };
    expect(refusedValue({ media }).message).toContain(`media.${one}.ref: expected a key of the same digest`);
  });

  it("ENV-19 reads a text that begins with a byte order mark", () => {
    const text = `\ufeff${serialiseEnvelope(sampleEnvelope("google"))}`;
    expect(parseEnvelope(text).envelope.provider).toBe("google");
  });
});

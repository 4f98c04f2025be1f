import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCHEMA_VERSION } from "../../../src/core/envelope/envelope.js";
import { MIGRATIONS, migrate } from "../../../src/core/envelope/migrations/index.js";
import type { MigrationContext } from "../../../src/core/envelope/migrations/migration.js";
import { parseEnvelope, readEnvelope } from "../../../src/core/envelope/parse-envelope.js";
import { serialiseEnvelope } from "../../../src/core/envelope/serialise-envelope.js";
import { EnvelopeDamagedError, InvalidHistoryError } from "../../../src/core/errors/errors.js";
import type { JsonObject } from "../../../src/core/json.js";
import { DIALECT_NAMES } from "../../../src/core/providers.js";
import { deepFreeze } from "../dialects/deep-freeze.js";

const GOLDEN = join(import.meta.dirname, "../../golden");
const CONTEXT = { now: "2026-01-31T12:00:00.000Z", conversationId: "contract-review" };
/** Of a dialect in which every message starts a turn. */
const STEP_CONTEXT: MigrationContext = { ...CONTEXT, endpoint: "fake", startsTurn: () => true };

interface Golden {
  readonly version: number;
  readonly name: string;
  readonly text: string;
}

/** `v<version>/<dialect>-<phenomenon>.json`; what it becomes stands beside it as `<name>.expected.json`. */
function goldenFiles(version: number): readonly Golden[] {
  return readdirSync(join(GOLDEN, `v${version}`))
    .filter((file) => file.endsWith(".json") && !file.endsWith(".expected.json"))
    .map((file) => ({
      version,
      name: file.slice(0, -".json".length),
      text: readFileSync(join(GOLDEN, `v${version}`, file), "utf8"),
    }));
}

const VERSIONS = Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1);
const old = VERSIONS.slice(0, -1).flatMap(goldenFiles);

describe("migrations", () => {
  it.each(old)("ENV-26 migrates v$version/$name to what was expected once and for all", async (golden) => {
    const { envelope, migratedFrom } = parseEnvelope(golden.text, CONTEXT);
    expect(migratedFrom).toBe(golden.version);
    await expect(`${JSON.stringify(envelope, null, 2)}\n`).toMatchFileSnapshot(
      join(GOLDEN, `v${golden.version}`, `${golden.name}.expected.json`),
    );
  });

  it.each(goldenFiles(SCHEMA_VERSION))(
    "ENV-27 reads and writes v$version/$name byte for byte",
    ({ text }) => {
      const { envelope, migratedFrom } = parseEnvelope(text);
      expect(migratedFrom).toBe(SCHEMA_VERSION);
      expect(serialiseEnvelope(envelope)).toBe(text);
    },
  );

  it("ENV-26 has a golden file of every dialect for every version, so that no step goes untried", () => {
    expect(MIGRATIONS).toHaveLength(SCHEMA_VERSION - 1);
    for (const version of VERSIONS) {
      const dialects = new Set(goldenFiles(version).map(({ name }) => name.split("-")[0]));
      expect(
        [...DIALECT_NAMES].filter((dialect) => !dialects.has(dialect)),
        `v${version}`,
      ).toEqual([]);
    }
  });

  it("ENV-28 takes each step to exactly the next version, without changing its input", () => {
    const messages = [{ role: "user", content: "Hi" }];
    for (const [index, step] of MIGRATIONS.entries()) {
      const input = deepFreeze({
        schema_version: index + 1,
        provider: "openai",
        model: "gpt-6-luna",
        messages,
      });
      expect(step(input, STEP_CONTEXT).schema_version).toBe(index + 2);
    }
  });

  it("ENV-28 gives the same envelope for the same file, time and id", () => {
    const [golden] = old;
    expect(parseEnvelope(golden?.text ?? "", CONTEXT)).toEqual(parseEnvelope(golden?.text ?? "", CONTEXT));
  });

  it("ENV-29 counts a turn at each user's message that is not only tool results", () => {
    for (const { text } of goldenFiles(1).filter(({ name }) => name.endsWith("-tool-round"))) {
      const { envelope } = parseEnvelope(text, CONTEXT);
      const end = envelope.messages.length;
      expect(envelope.metadata.run_count).toBe(2);
      expect(envelope.accounting.totals.turns).toBe(2);
      expect(envelope.turn_index).toMatchObject([
        { turn_id: "restored-1", to: end - 2 },
        { turn_id: "restored-2", from: end - 2, to: end },
      ]);
    }
  });

  it("ENV-30 leaves the id empty and the time at the epoch where neither file nor caller names one", () => {
    const text = '{"schema_version":1,"provider":"openai","model":"gpt-6-luna","messages":[]}';
    const { envelope } = parseEnvelope(text);
    expect(envelope.conversation_id).toBe("");
    expect(envelope.created_at).toBe("1970-01-01T00:00:00.000Z");
    expect(parseEnvelope(text, CONTEXT).envelope).toMatchObject({
      conversation_id: "contract-review",
      created_at: CONTEXT.now,
    });
  });

  it("ENV-31 writes a migrated envelope that reads back as the current version", () => {
    for (const { text } of old) {
      const { envelope } = parseEnvelope(text, CONTEXT);
      const again = parseEnvelope(serialiseEnvelope(envelope));
      expect(again.migratedFrom).toBe(SCHEMA_VERSION);
      expect(again.envelope).toMatchObject(envelope);
    }
  });

  it("ENV-31 checks the checksum that an old envelope has, and drops it with the old content", () => {
    const document = JSON.parse(goldenFiles(2)[0]?.text ?? "") as JsonObject;
    expect(() => readEnvelope({ ...document, checksum: "ab".repeat(32) })).toThrow(EnvelopeDamagedError);
    const { envelope } = readEnvelope({ ...document, checksum: "ab".repeat(32) }, { ignoreChecksum: true });
    expect(envelope.checksum).toBeUndefined();
  });

  it("ENV-32 refuses an old envelope without provider, model or history, and one whose parts are wrong", () => {
    const whole = { schema_version: 1, provider: "anthropic", model: "claude-haiku-4-5", messages: [] };
    for (const key of ["provider", "model", "messages"]) {
      expect(() => readEnvelope({ ...whole, [key]: undefined })).toThrow(`${key}: expected`);
    }
    expect(() => readEnvelope({ ...whole, messages: [{ role: "robot" }] })).toThrow(InvalidHistoryError);
    expect(() => readEnvelope({ ...whole, schema_version: 2 })).toThrow("metadata.run_count");
    expect(() => readEnvelope({ ...whole, metadata: { run_count: -1 } })).toThrow("metadata.run_count");
  });

  it("ENV-28 applies every step from the version a document has", () => {
    const document: JsonObject = { schema_version: 2, provider: "openai", model: "gpt-6-luna", messages: [] };
    expect(migrate(document, 2, STEP_CONTEXT)).toEqual(MIGRATIONS[1]?.(document, STEP_CONTEXT));
    expect(migrate(document, 3, STEP_CONTEXT)).toBe(document);
  });
});

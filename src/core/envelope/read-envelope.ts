/** From an untrusted value to an envelope of the current version, or one clear refusal. */
import { isUnit, readAttic } from "../dialects/attic.js";
import type { Dialect, DialectCapabilities } from "../dialects/dialect.js";
import type { Sha256 } from "../hash.js";
import { isJsonObject, type JsonObject } from "../json.js";
import type { ProviderName } from "../providers.js";
import { describeValue } from "./check.js";
import { checkEnvelope, checkOldEnvelope } from "./check-envelope.js";
import { checksumOf } from "./checksum.js";
import { badVersion, fromFuture, notAnEnvelope, wrongChecksum, wrongHistory, wrongShape } from "./damage.js";
import { type Envelope, SCHEMA_VERSION } from "./envelope.js";
import { nameForeignJson } from "./foreign-json.js";
import { migrate } from "./migrations/index.js";
import { checkStructure } from "./structure.js";

export type EnvelopeVersion = 1 | 2 | 3;

export interface ParsedEnvelope {
  readonly envelope: Envelope;
  /** The version the document had; the current one where nothing was migrated. */
  readonly migratedFrom: EnvelopeVersion;
}

/** What must be known of a dialect to read histories in it. */
export interface EnvelopeDialect extends Pick<Dialect, "checkMessage" | "startsTurn"> {
  readonly capabilities: Pick<DialectCapabilities, "endpoint">;
}

export interface ReadEnvelopeOptions {
  /** What errors call the document, such as its path; “The envelope” without it. */
  readonly source?: string;
  /** ISO time for an envelope of version 1 or 2, which has none. */
  readonly now?: string;
  /** Conversation id for an envelope of version 1 or 2; without it the id is the empty text. */
  readonly conversationId?: string;
  /** For sealing a document anew that was edited on purpose. */
  readonly ignoreChecksum?: boolean;
  /** For the checksum; the portable one without it. */
  readonly hash?: Sha256;
}

/** Written as the time of an old envelope when the caller names none. */
const UNKNOWN_TIME = "1970-01-01T00:00:00.000Z";

/**
 * Reads a parsed JSON document as an envelope. Unknown keys are kept; nothing is ever taken for an empty history.
 *
 * @throws EnvelopeDamagedError, EnvelopeFromFutureError, InvalidHistoryError
 */
export function readEnvelopeWith(
  dialectFor: (provider: ProviderName) => EnvelopeDialect,
  value: unknown,
  options: ReadEnvelopeOptions = {},
): ParsedEnvelope {
  const source = options.source ?? "The envelope";
  if (!isJsonObject(value)) throw notAnEnvelope(source, nameForeignJson(value));
  const unsafe = checkStructure(value);
  if (unsafe !== undefined) throw wrongShape(source, [unsafe]);
  const migratedFrom = versionOf(value, source);
  assertChecksum(value, source, options);
  if (migratedFrom === SCHEMA_VERSION) {
    const envelope = asEnvelope(value, source);
    assertHistory(envelope, dialectFor(envelope.provider), source);
    assertAttic(envelope, dialectFor, source);
    return { envelope, migratedFrom };
  }
  const dialect = assertOldEnvelope(value, source, dialectFor);
  const migrated = migrate(value, migratedFrom, {
    now: options.now ?? UNKNOWN_TIME,
    conversationId: options.conversationId ?? "",
    endpoint: dialect.capabilities.endpoint,
    startsTurn: dialect.startsTurn,
  });
  return { envelope: asEnvelope(migrated, source), migratedFrom };
}

function versionOf(value: JsonObject, source: string): EnvelopeVersion {
  const version = value.schema_version;
  if (version === undefined) throw notAnEnvelope(source, nameForeignJson(value));
  if (typeof version !== "number" || !Number.isInteger(version))
    throw badVersion(source, describeValue(version));
  if (version > SCHEMA_VERSION) throw fromFuture(source, version);
  if (version !== 1 && version !== 2 && version !== 3) throw badVersion(source, describeValue(version));
  return version;
}

function assertChecksum(
  value: JsonObject,
  source: string,
  { ignoreChecksum = false, hash }: ReadEnvelopeOptions,
): void {
  if (ignoreChecksum || value.checksum === undefined) return;
  if (value.checksum !== checksumOf(value, hash)) throw wrongChecksum(source);
}

function asEnvelope(value: JsonObject, source: string): Envelope {
  const issues = checkEnvelope(value);
  if (issues.length > 0) throw wrongShape(source, issues);
  // Every key has just been checked.
  return value as unknown as Envelope;
}

/** Before any step: what the steps themselves rely on. */
function assertOldEnvelope(
  value: JsonObject,
  source: string,
  dialectFor: (provider: ProviderName) => EnvelopeDialect,
): EnvelopeDialect {
  const issues = checkOldEnvelope(value);
  if (issues.length > 0) throw wrongShape(source, issues);
  // `provider` and `messages` have just been checked.
  const old = value as unknown as Pick<Envelope, "provider" | "messages">;
  const dialect = dialectFor(old.provider);
  assertHistory(old, dialect, source);
  return dialect;
}

function assertHistory(
  { messages, provider }: Pick<Envelope, "messages" | "provider">,
  dialect: EnvelopeDialect,
  source: string,
): void {
  const issues = messages.flatMap((message, index) => dialect.checkMessage(message, index));
  if (issues.length > 0) throw wrongHistory(source, provider, issues);
}

/** What the attic gives back becomes history. */
function assertAttic(
  { attic }: Pick<Envelope, "attic">,
  dialectFor: (provider: ProviderName) => EnvelopeDialect,
  source: string,
): void {
  const issues = attic.flatMap((entry, place) =>
    readAttic([entry])
      .filter(isUnit)
      .flatMap(({ dialect, messages }) =>
        messages.flatMap((message, index) => dialectFor(dialect).checkMessage(message, index)),
      )
      .map(({ index, path, expected }) => ({
        path: `attic[${place}].messages[${index}]${path === "" ? "" : `.${path}`}`,
        expected,
        found: "something else",
      })),
  );
  if (issues.length > 0) throw wrongShape(source, issues);
}

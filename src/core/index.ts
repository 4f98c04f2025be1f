/**
 * Envelopes, dialects and errors, without Temporal: pure, also in a browser.
 *
 * @module holdfast/core
 */
export { Agent, type AgentOptions, type AgentSpec, type SendWindow, type ToolSpec } from "./agent.js";
export type { Dialect, DialectCapabilities, FilePart, MediaSlot } from "./dialects/dialect.js";
export { DIALECTS, dialectFor } from "./dialects/index.js";
export { checksumOf } from "./envelope/checksum.js";
export * from "./envelope/envelope.js";
export { prefixOf } from "./envelope/fingerprint.js";
export { MIGRATIONS, migrate } from "./envelope/migrations/index.js";
export type { Migration, MigrationContext } from "./envelope/migrations/migration.js";
export { parseEnvelope, readEnvelope } from "./envelope/parse-envelope.js";
export { type PersistenceReportOptions, persistenceReport } from "./envelope/persistence-report.js";
export { prefixChange } from "./envelope/prefix-change.js";
export type { EnvelopeVersion, ParsedEnvelope, ReadEnvelopeOptions } from "./envelope/read-envelope.js";
export { sealEnvelope, serialiseEnvelope } from "./envelope/serialise-envelope.js";
export * from "./errors/errors.js";
export type { JsonObject, JsonPrimitive, JsonValue } from "./json.js";
export type { MediaStore } from "./media/media-store.js";
export * from "./providers.js";

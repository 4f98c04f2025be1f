/** The whole envelope, checked: every key that this version knows, and how the parts fit together. */
import type { EnvelopeIssue } from "../errors/errors.js";
import { DIALECT_NAMES } from "../providers.js";
import {
  type Check,
  count,
  jsonObject,
  listOf,
  nonEmptyText,
  nullable,
  oneOf,
  optional,
  sha256,
  shape,
  text,
  time,
} from "./check.js";
import { checkAgent } from "./check-agent.js";
import { checkMediaRefs, checkMediaReport, checkMediaTable } from "./check-media.js";
import {
  checkAccounting,
  checkInterruptedTurn,
  checkTurnIndex,
  checkTurnOrder,
  provider,
} from "./check-turns.js";
import {
  type ConversionReportEntry,
  type Envelope,
  type EnvelopeMetadata,
  type Prefix,
  SCHEMA_VERSION,
  type ServedModel,
} from "./envelope.js";

const prefix = shape<Prefix>({
  fingerprint: sha256,
  instructions_sha256: sha256,
  tools: listOf(shape<Prefix["tools"][number]>({ name: nonEmptyText, sha256 })),
});

const servedModel = shape<ServedModel>({
  event: oneOf(["start", "restore", "rebind"]),
  provider,
  model: nonEmptyText,
  at: time,
  turn: count,
  from: optional(shape<NonNullable<ServedModel["from"]>>({ provider, model: nonEmptyText })),
});

const conversionEntry = shape<ConversionReportEntry>({
  kind: oneOf(["dropped", "rekeyed", "textified", "moved", "added", "wrapped", "changed"]),
  artefact: optional(text),
  index: count,
  detail: optional(text),
});

const envelopeShape: Check = shape<Envelope>({
  schema_version: oneOf([SCHEMA_VERSION]),
  conversation_id: text,
  created_at: time,
  saved_at: time,
  provider,
  model: nonEmptyText,
  agent: checkAgent,
  system: nullable(text),
  prefix: nullable(prefix),
  messages: listOf(jsonObject),
  turn_index: checkTurnIndex,
  metadata: shape<EnvelopeMetadata>({ run_count: count, served_models: listOf(servedModel) }),
  accounting: checkAccounting,
  interrupted_turn: nullable(checkInterruptedTurn),
  media_policy: oneOf(["inline", "externalize", "strip"]),
  media: checkMediaTable,
  media_report: checkMediaReport,
  converted_from: nullable(oneOf(DIALECT_NAMES)),
  conversion_report: listOf(conversionEntry),
  attic: listOf(jsonObject),
  copied_from: optional(shape<NonNullable<Envelope["copied_from"]>>({ conversation_id: text, turn: count })),
  checksum: optional(sha256),
});

/** Every problem of a value that should be an envelope of this version; its messages are only known to be objects. */
export function checkEnvelope(value: unknown): readonly EnvelopeIssue[] {
  const issues = envelopeShape(value, "");
  if (issues.length > 0) return issues;
  // Every key has just been checked, so that the parts can be held against each other.
  const envelope = value as Envelope;
  return [...checkTurnOrder(envelope), ...checkMediaRefs(envelope)];
}

const oldShape: Check = shape<Pick<Envelope, "provider" | "model" | "messages">>({
  provider,
  model: nonEmptyText,
  messages: listOf(jsonObject),
});

/** What an envelope of an older version must have before it can be migrated. */
export function checkOldEnvelope(value: unknown): readonly EnvelopeIssue[] {
  return oldShape(value, "");
}

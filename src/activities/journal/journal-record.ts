/** A call in flight as the journal's file keeps it: as often as it has changed one line of JSON, each behind the digest of that line. */
import { createHash } from "node:crypto";
import type { ProcessOwner } from "../../connection/process-owner.js";
import { isJsonObject, type JsonObject } from "../../core/json.js";
import type { Progress } from "../progress.js";
import type { SealedPayload } from "./sealed-payload.js";

export interface JournalRecord {
  readonly version: 1;
  /** Null where the owner lives but has given the call up: whoever comes may end it. */
  readonly owner: ProcessOwner | null;
  /** The namespace that the token is of, told apart from those of other servers. */
  readonly place: string;
  /** Base64. */
  readonly task_token: string;
  readonly conversation_id: string;
  readonly run_id: string;
  readonly activity_id: string;
  readonly turn_id: string;
  /** Present where a checkpoint sends the end frame. */
  readonly quiet?: true;
  readonly progress: Progress;
  /** The whole reply, once it has arrived. */
  readonly reply?: {
    /** Of the history with the reply. */
    readonly digest: string;
    /** The result of the activity, through the data converter's codecs. */
    readonly payload: SealedPayload;
  };
}

/** Begins with an empty line, so that it can be read also behind a write that was cut off. */
export function recordText(record: JournalRecord): string {
  const line = JSON.stringify(record);
  return `\n${digestOf(line)}\n${line}\n`;
}

/**
 * What was written last and whole: a process that is killed in the middle of a write leaves what was known before it. `damaged`
 * where there is no such thing; `newer` for what a later release has written.
 */
export function readRecord(text: string): JournalRecord | "damaged" | "newer" {
  const lines = text.split("\n");
  let last: string | undefined;
  for (const [at, line] of lines.entries())
    if (DIGEST.test(lines[at - 1] ?? "") && lines[at - 1] === digestOf(line)) last = line;
  return last === undefined ? "damaged" : recordOf(last);
}

function recordOf(line: string): JournalRecord | "damaged" | "newer" {
  const value: unknown = JSON.parse(line);
  if (!isJsonObject(value)) return "damaged";
  if (typeof value.version === "number" && value.version > 1) return "newer";
  return isRecord(value) ? (value as unknown as JournalRecord) : "damaged";
}

const DIGEST = /^[0-9a-f]{64}$/;

function digestOf(line: string): string {
  return createHash("sha256").update(line).digest("hex");
}

const TEXTS = ["place", "task_token", "conversation_id", "run_id", "activity_id", "turn_id"] as const;

/** The digest vouches for the content; this is for a file of the same form that something else has written. */
function isRecord(value: JsonObject): boolean {
  const { owner, progress, reply } = value;
  return (
    value.version === 1 &&
    TEXTS.every((key) => typeof value[key] === "string") &&
    (owner === null || (isJsonObject(owner) && typeof owner.pid === "number")) &&
    isJsonObject(progress) &&
    typeof progress.calls === "number" &&
    (reply === undefined || (isJsonObject(reply) && isJsonObject(reply.payload)))
  );
}

/** A call in flight as the journal's file keeps it: one line of JSON behind the digest of that line. */
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

export function recordText(record: JournalRecord): string {
  const line = JSON.stringify(record);
  return `${digestOf(line)}\n${line}\n`;
}

/** `damaged` for what was not written whole or was changed; `newer` for what a later release has written. */
export function readRecord(text: string): JournalRecord | "damaged" | "newer" {
  const [digest, line = ""] = text.split("\n", 2);
  if (digest !== digestOf(line)) return "damaged";
  const value: unknown = JSON.parse(line);
  if (!isJsonObject(value)) return "damaged";
  if (typeof value.version === "number" && value.version > 1) return "newer";
  return isRecord(value) ? (value as unknown as JournalRecord) : "damaged";
}

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

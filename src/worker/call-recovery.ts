/** Ends the calls whose worker has died, from the journal that it has left on this machine (JRN-1). */
import { setTimeout as delay } from "node:timers/promises";
import { type Client, isGrpcServiceError } from "@temporalio/client";
import type { Logger } from "@temporalio/common";
import pLimit from "p-limit";
import type { CallJournal } from "../activities/journal/call-journal.js";
import { deliverReply } from "../activities/journal/deliver-reply.js";
import type { JournalFile } from "../activities/journal/journal-folder.js";
import { type JournalRecord, readRecord } from "../activities/journal/journal-record.js";
import { openPayload } from "../activities/journal/sealed-payload.js";
import { AFTER_ATTEMPT, TurnFrames } from "../activities/turn-frames.js";
import { leaveStickyQueue } from "../connection/leave-sticky-queue.js";
import { encodePayload } from "../connection/payload-values.js";
import { lifeOf } from "../connection/process-owner.js";
import type { CallModelResult } from "../core/conversation/activity-contract.js";
import type { FrameSink } from "../core/conversation/frame.js";
import { turnEndAfter } from "../core/conversation/turn-end-after.js";
import { isJsonObject } from "../core/json.js";

export interface CallRecoveryParts {
  readonly journal: CallJournal;
  readonly client: Client;
  readonly frames: FrameSink;
  readonly logger: Logger;
}

/** How often a running worker looks for what a sibling has left. */
const EVERY_MS = 500;
/** How long a worker that starts looks before it takes work; what is left then goes on beside the work. */
const FIRST_LOOK_MS = 1_500;
const SERVER_MS = 10_000;
const AT_ONCE = 16;
/** After a reply has lain so long its owner, of whom nothing can be known here, no longer delivers it. */
const UNKNOWN_OWNER_MS = 5_000;
/** Longer than any turn: nothing can be done for such a call any more. */
const FORGOTTEN_MS = 2 * 60 * 60_000;
const NOT_FOUND = 5;

export class CallRecovery {
  readonly #parts: CallRecoveryParts;
  /** Files of owners that lived at the last look, so that a reply of megabytes is not read every second. */
  readonly #seen = new Map<string, JournalRecord["owner"]>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(parts: CallRecoveryParts) {
    this.#parts = parts;
  }

  /** Looks once before it resolves, then twice a second until `stop`. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.look(), EVERY_MS);
    this.#timer.unref();
    await Promise.race([this.look(), delay(FIRST_LOOK_MS, undefined, { ref: false })]);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** One look at a time. Never throws. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { journal } = this.#parts;
    const files = (await journal.folder.files()).filter(({ id }) => !journal.holds(id));
    journal.othersHold({
      entries: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    });
    const keys = new Set(files.map(keyOf));
    for (const key of this.#seen.keys()) if (!keys.has(key)) this.#seen.delete(key);
    const limit = pLimit(AT_ONCE);
    await Promise.all(files.map((file) => limit(() => this.#consider(file).catch(() => undefined))));
  }

  async #consider(file: JournalFile): Promise<void> {
    const { folder } = this.#parts.journal;
    const seen = this.#seen.get(keyOf(file));
    if (seen !== undefined && this.#lives(seen)) return;
    const text = await folder.read(file.id);
    if (text === undefined) return;
    const record = recordOf(text);
    if (isRecord(record) && !this.#isDue(record, file)) {
      if (this.#lives(record.owner)) this.#seen.set(keyOf(file), record.owner);
      return;
    }
    if (record === "newer") return;
    await this.#take(file);
  }

  #lives(owner: JournalRecord["owner"]): boolean {
    return owner !== null && lifeOf(owner, this.#parts.journal.owner) === "alive";
  }

  #isDue(record: JournalRecord, { ageMs }: JournalFile): boolean {
    if (ageMs > FORGOTTEN_MS) return true;
    if (record.place !== this.#parts.journal.place) return false;
    const life = record.owner === null ? "dead" : lifeOf(record.owner, this.#parts.journal.owner);
    if (life === "unknown") return record.reply !== undefined && ageMs > UNKNOWN_OWNER_MS;
    return life === "dead";
  }

  /** Whoever renames the entry first acts on it, on what it holds then. */
  async #take(file: JournalFile): Promise<void> {
    const { folder } = this.#parts.journal;
    const text = await folder.claim(file.id);
    if (text === undefined) return;
    const record = recordOf(text);
    if (!isRecord(record)) return this.#condemn(file.id, "it is damaged");
    if (!this.#isDue(record, file)) return folder.release(file.id);
    if (file.ageMs > FORGOTTEN_MS) return folder.settle(file.id);
    try {
      await this.#end(record, file.id);
    } catch {
      // The server was not reached: the next look tries again.
      await folder.release(file.id);
    }
  }

  async #end(record: JournalRecord, id: string): Promise<void> {
    const { client, journal } = this.#parts;
    const reply = record.reply === undefined ? undefined : await this.#replyOf(record);
    if (reply === "unreadable") return this.#condemn(id, "its reply cannot be decoded");
    const deadline = Date.now() + SERVER_MS;
    await client.withDeadline(deadline, async () => {
      await leaveStickyQueue(client, record.conversation_id, record.run_id);
      await (reply === undefined ? this.#failLost(record) : this.#deliver(record, reply));
    });
    await journal.folder.settle(id);
  }

  async #replyOf({ reply }: JournalRecord): Promise<CallModelResult | "unreadable"> {
    if (reply === undefined) return "unreadable";
    const value: unknown = await openPayload(this.#parts.journal.converter, reply.payload).catch(
      () => undefined,
    );
    const isReply = isJsonObject(value) && Array.isArray(value.messages) && isJsonObject(value.root);
    return isReply ? (value as unknown as CallModelResult) : "unreadable";
  }

  async #deliver(record: JournalRecord, reply: CallModelResult): Promise<void> {
    const { client, frames, logger } = this.#parts;
    const ids = {
      taskToken: tokenOf(record),
      workflowId: record.conversation_id,
      runId: record.run_id,
      activityId: record.activity_id,
    };
    if (!(await deliverReply(client.activity, ids, reply))) return;
    const { conversation_id: conversation, turn_id: turn } = record;
    logger.info(`The reply to turn ${turn} was taken from the journal.`, { conversation_id: conversation });
    const state = turnEndAfter(reply);
    if (record.quiet === true || state === undefined) return;
    const position = { conversation, turn, attempt: reply.attempt };
    const digest = state === "committed" ? reply.root.digest : null;
    const end = { type: "end", state, digest } as const;
    new TurnFrames(frames, position, AFTER_ATTEMPT).push(end);
  }

  /**
   * By token only: by id it would end the live attempt of another worker. The counts go along, so that the next attempt
   * counts on.
   */
  async #failLost(record: JournalRecord): Promise<void> {
    const { client, journal, logger } = this.#parts;
    const { attempt, calls } = record.progress;
    const details = await encodePayload(journal.converter, { attempt, provider_calls: calls });
    const progress = await encodePayload(journal.converter, record.progress);
    try {
      await client.workflowService.respondActivityTaskFailed({
        namespace: client.options.namespace,
        identity: client.options.identity,
        taskToken: tokenOf(record),
        failure: {
          message: "The worker that made the call has died.",
          source: "Holdfast",
          applicationFailureInfo: {
            type: "worker.lost",
            nonRetryable: false,
            nextRetryDelay: { nanos: 1_000_000 },
            details: { payloads: [details] },
          },
        },
        lastHeartbeatDetails: { payloads: [progress] },
      });
      const meta = { conversation_id: record.conversation_id };
      logger.info(`The call of turn ${record.turn_id}, whose worker has died, is made again.`, meta);
    } catch (error) {
      // The server has moved on: its heartbeat was missed, another worker has it, or it was stopped.
      if (isGrpcServiceError(error) && Number(error.code) === NOT_FOUND) return;
      throw error;
    }
  }

  async #condemn(id: string, why: string): Promise<void> {
    const { journal, logger } = this.#parts;
    await journal.folder.condemn(id);
    logger.warn(
      `An entry of the journal of calls was moved to ${journal.folder.path}/damaged (${why}): a call may be made again.`,
    );
  }
}

const keyOf = ({ id, writtenMs }: JournalFile): string => `${id} ${writtenMs}`;

const tokenOf = ({ task_token: token }: JournalRecord): Uint8Array =>
  new Uint8Array(Buffer.from(token, "base64"));

function recordOf(text: string | null): JournalRecord | "damaged" | "newer" {
  return text === null ? "damaged" : readRecord(text);
}

function isRecord(read: JournalRecord | "damaged" | "newer"): read is JournalRecord {
  return typeof read !== "string";
}

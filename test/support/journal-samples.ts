/** Entries of a journal, made for tests. */
import {
  defaultDataConverter,
  defaultPayloadConverter,
  type LoadedDataConverter,
  type LogMetadata,
  type PayloadCodec,
} from "@temporalio/common";
import { DefaultLogger } from "@temporalio/worker";
import type { JournalRecord } from "../../src/activities/journal/journal-record.js";
import { sealPayload } from "../../src/activities/journal/sealed-payload.js";
import { type ProcessOwner, thisProcess } from "../../src/connection/process-owner.js";
import type { CallModelInput, CallModelResult } from "../../src/core/conversation/activity-contract.js";
import { EMPTY_USAGE } from "../../src/core/envelope/accounting.js";

/** Turns every byte around, so that nothing of a text can be read. */
const turned = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => 255 - byte);
const codec: PayloadCodec = {
  encode: async (payloads) =>
    payloads.map(({ metadata, data }) => ({
      ...(metadata && { metadata }),
      data: turned(data ?? new Uint8Array()),
    })),
  decode: async (payloads) =>
    payloads.map(({ metadata, data }) => ({
      ...(metadata && { metadata }),
      data: turned(data ?? new Uint8Array()),
    })),
};

export const PLAIN: LoadedDataConverter = {
  ...defaultDataConverter,
  payloadConverter: defaultPayloadConverter,
};
export const CODED: LoadedDataConverter = { ...PLAIN, payloadCodecs: [codec] };

export const CALL_INPUT: CallModelInput = {
  conversation_id: "review",
  run_id: "run",
  turn_id: "t1",
  root: { count: 0, digest: "" },
  agent: "agent",
};

export const REPLY: CallModelResult = {
  messages: [{ role: "assistant", content: "Clause 4 says so." }],
  root: { count: 2, digest: "d2" },
  model: "claude-haiku-4-5",
  endpoint: "anthropic",
  usage: EMPTY_USAGE,
  raw_usage: null,
  finish_reason: { unified: "stop", raw: "end_turn" },
  attempt: 2,
  provider_calls: 3,
};

/** A process of this machine that has died. */
export const DEAD: ProcessOwner = { ...thisProcess(), process_started: "1" };
/** A process of which nothing can be known here. */
export const ELSEWHERE: ProcessOwner = { ...thisProcess(), boot_id: "another", host: "another" };

export function recordOf(change: Partial<JournalRecord> = {}): JournalRecord {
  return {
    version: 1,
    owner: DEAD,
    place: "here",
    task_token: Buffer.from("token").toString("base64"),
    conversation_id: "review",
    run_id: "run",
    activity_id: "7",
    turn_id: "t1",
    progress: { attempt: 2, calls: 3, failures: 1 },
    ...change,
  };
}

export async function answered(
  change: Partial<JournalRecord> = {},
  reply: CallModelResult = REPLY,
): Promise<JournalRecord> {
  return recordOf({ reply: { digest: "d2", payload: await sealPayload(PLAIN, reply) }, ...change });
}

export interface Recorder {
  readonly logger: DefaultLogger;
  readonly lines: readonly {
    readonly level: string;
    readonly message: string;
    readonly meta?: LogMetadata;
  }[];
}

export function recorder(): Recorder {
  const lines: { level: string; message: string; meta?: LogMetadata }[] = [];
  return { lines, logger: new DefaultLogger("INFO", (entry) => void lines.push(entry)) };
}

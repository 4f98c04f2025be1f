/** What is submitted as a turn: a new message, or that of an interrupted turn once more; its files as markers. */
import { randomUUID } from "node:crypto";
import { assertBudget, checkLimits } from "../core/budget.js";
import type { Submission } from "../core/conversation/messages.js";
import type { FileMarker, InterruptedTurn } from "../core/envelope/envelope.js";
import { UsageError } from "../core/errors/errors.js";
import type { MediaStore } from "../core/media/media-store.js";
import { askedSchema } from "./asked-schema.js";
import { type AttachedFile, fileList } from "./attach-files.js";
import type { ResendOptions, SubmitOptions } from "./conversation-options.js";
import { assertMessage } from "./message-limits.js";
import { turnIdOf } from "./turn-id.js";

/** A submission that can be made twice and counts once. */
export type TurnSubmission = Submission & { readonly turn_id: string };

export interface Attaching {
  readonly mediaStore: Pick<MediaStore, "get">;
  attach(files: readonly (AttachedFile | FileMarker)[]): Promise<readonly FileMarker[]>;
}

/** @throws UsageError for an empty message, an id that is none, an output that is no schema, or a budget that is none; what attaching throws. */
export async function newSubmission(
  { attach }: Attaching,
  message: string,
  options: SubmitOptions,
): Promise<TurnSubmission> {
  const given = fileList(options.files);
  assertMessage(message, given.length);
  const turnId = turnIdOf(options.turnId);
  const schema = askedSchema("run", options.output);
  assertBudget("run", checkLimits, options.budget);
  const files = await attach(given);
  return {
    turn_id: turnId ?? randomUUID(),
    message,
    ...(files.length === 0 ? {} : { files }),
    ...(options.onBusy === undefined ? {} : { on_busy: options.onBusy }),
    ...(schema === undefined ? {} : { output_schema: schema }),
    ...(options.budget === undefined ? {} : { budget: options.budget }),
  };
}

/** @throws UsageError for a file of the record that is no longer in the working store; what attaching throws. */
export async function sentAgain(
  { mediaStore, attach }: Attaching,
  record: InterruptedTurn,
  options: ResendOptions,
): Promise<TurnSubmission> {
  const schema = askedSchema("resend", options.output) ?? record.output_schema;
  assertBudget("resend", checkLimits, options.budget);
  const files = await attach(options.files ?? (await filesOf(record, mediaStore)));
  return {
    turn_id: randomUUID(),
    message: record.message,
    ...(files.length === 0 ? {} : { files }),
    ...(options.budget === undefined ? {} : { budget: options.budget }),
    ...(record.turn_id === undefined ? {} : { resend_of: record.turn_id }),
    ...(schema === undefined ? {} : { output_schema: schema }),
  };
}

async function filesOf(
  { files = [] }: InterruptedTurn,
  mediaStore: Attaching["mediaStore"],
): Promise<readonly FileMarker[]> {
  for (const { marker, name } of files) {
    if ((await mediaStore.get(marker.slice("$media:".length))) === undefined) {
      throw new UsageError(
        `The file ${name} of the interrupted turn is no longer in the working store: resend with \`files\`, or with \`files: []\` to leave it out.`,
      );
    }
  }
  return files;
}

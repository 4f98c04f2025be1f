/** `holdfast export`: the conversation as one file. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Conversation } from "../../client/conversation.js";
import { parseEnvelope } from "../../core/envelope/parse-envelope.js";
import { UsageError } from "../../core/errors/errors.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import {
  conversationArgument,
  maxInlineArgument,
  mediaArgument,
  moduleArgument,
  overwriteArgument,
} from "../common-arguments.js";
import { withConversation } from "../connect.js";
import { saveOptions } from "../save-options.js";
import { byteSize } from "../wording.js";

const args = {
  id: conversationArgument,
  file: {
    type: "positional",
    required: false,
    valueHint: "FILE",
    description: "where to write it; stdout without it, or as -",
    completes: "file",
  },
  out: { type: "string", alias: "o", valueHint: "FILE", description: "the same as FILE", completes: "file" },
  overwrite: overwriteArgument,
  media: mediaArgument,
  "media-store": {
    type: "string",
    valueHint: "DIR",
    description: "where externalized attachments go: a folder, s3://bucket/prefix, or a store of --module",
    completes: "file",
  },
  module: moduleArgument,
  "media-max-inline-bytes": maxInlineArgument,
} as const;

export const command: Command = defineCommand({
  args,
  details: "The file is written whole or not at all; missing folders are made.",
  examples: [
    ["to a file", "holdfast export contract-review checkpoints/contract-review.json"],
    [
      "with its attachments beside it",
      "holdfast export contract-review review.json --media externalize --media-store media",
    ],
    ["to another program", "holdfast export contract-review | jq .accounting.totals"],
  ],
  run: exportConversation,
});

async function exportConversation(context: CommandContext<typeof args>): Promise<undefined> {
  const { args: given, terminal, cwd } = context;
  const file = given.out ?? given.file;
  if (given.out !== undefined && given.file !== undefined)
    throw new UsageError("The file is named twice: give FILE or --out.");
  const save = saveOptions(given);
  const write = async (conversation: Conversation): Promise<void> => {
    if (file === undefined || file === "-") {
      terminal.print((await conversation.toJson(save)).trimEnd());
      return;
    }
    const path = resolve(cwd, file);
    if (!given.overwrite) await assertReplaceable(path, file, given.id);
    const text = await conversation.toJson({ path, overwrite: given.overwrite, ...save });
    terminal.note(`${file}: ${byteSize(Buffer.byteLength(text))}.`);
  };
  await withConversation(context, given.id, write, given.module);
}

/** A file that is no envelope of this conversation is somebody's; one of more turns holds what would be lost. */
async function assertReplaceable(path: string, file: string, id: string): Promise<void> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined || text.trim() === "") return;
  const present = conversationOf(text);
  if (present === id) return;
  const what = present === undefined ? "no envelope" : `the envelope of ${present || "another conversation"}`;
  throw new UsageError(`${file} exists and is ${what}: choose another file, or replace it with --overwrite.`);
}

function conversationOf(text: string): string | undefined {
  try {
    return parseEnvelope(text).envelope.conversation_id;
  } catch {
    return undefined;
  }
}

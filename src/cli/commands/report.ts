/** `holdfast report`: what a save would write. */
import { isEnvelopePath, readEnvelopeText } from "../../client/read-envelope-text.js";
import type { PersistenceReport } from "../../core/envelope/envelope.js";
import { persistenceReport } from "../../core/envelope/persistence-report.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import { jsonArgument } from "../common-arguments.js";
import { withConversation } from "../connect.js";
import { table } from "../table.js";
import { byteSize, count } from "../wording.js";

const args = {
  source: {
    type: "positional",
    valueHint: "ID|FILE",
    description: "a conversation, or the file of an envelope, which needs no server",
    completes: "conversation",
  },
  json: jsonArgument,
} as const;

export const command: Command = defineCommand({
  args,
  examples: [
    ["a conversation", "holdfast report contract-review"],
    ["a file", "holdfast report checkpoints/contract-review.json"],
  ],
  run: async (context) => {
    const { terminal, args: given } = context;
    const report = await reportOn(context);
    if (given.json) terminal.json(report);
    else for (const line of describe(report)) terminal.print(line);
    return undefined;
  },
});

async function reportOn(context: CommandContext<typeof args>): Promise<PersistenceReport> {
  const { source } = context.args;
  if (isEnvelopePath(source, context.cwd)) {
    return persistenceReport((await readEnvelopeText(source, context.cwd)).envelope);
  }
  return withConversation(context, source, (conversation) => conversation.persistenceReport());
}

function describe({ size_bytes, message_count, media_count, media }: PersistenceReport): readonly string[] {
  return [
    `${byteSize(size_bytes)} (${size_bytes.toLocaleString("en-US")} bytes) · ${count(message_count, "message")} · ${count(media_count, "medium").replace("mediums", "media")}`,
    ...(media.length === 0
      ? []
      : table([
          ["MESSAGE", "KIND", "TYPE", "SIZE"],
          ...media.map((entry) => [
            String(entry.message_index),
            entry.kind,
            entry.mime_type,
            byteSize(entry.size_bytes),
          ]),
        ])),
  ];
}

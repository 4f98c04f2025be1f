/** `holdfast report`: what a save would write. */
import { isEnvelopePath, readEnvelopeText } from "../../client/read-envelope-text.js";
import { storeMedia } from "../../connection/store-media.js";
import type { AccountingTotals, PersistenceReport } from "../../core/envelope/envelope.js";
import { persistenceReport } from "../../core/envelope/persistence-report.js";
import { fromFileData } from "../../core/media/google-files.js";
import { savePlan } from "../../core/media/policy.js";
import { MemoryMediaStore } from "../../media-stores/memory-media-store.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import { jsonArgument, mediaArgument } from "../common-arguments.js";
import { withConversation } from "../connect.js";
import { table } from "../table.js";
import { byteSize, costText, count } from "../wording.js";

const args = {
  source: {
    type: "positional",
    valueHint: "ID|FILE",
    description: "a conversation, or the file of an envelope, which needs no server",
    completes: "conversation",
  },
  media: mediaArgument,
  json: jsonArgument,
} as const;

export const command: Command = defineCommand({
  args,
  examples: [
    ["a conversation", "holdfast report contract-review"],
    ["how small would it be without its attachments?", "holdfast report contract-review --media strip"],
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

interface Report extends PersistenceReport {
  /** Of all turns so far, where it is known. */
  readonly cost?: number;
}

async function reportOn(context: CommandContext<typeof args>): Promise<Report> {
  const { source, media } = context.args;
  const options = media === undefined ? {} : { media };
  if (!isEnvelopePath(source, context.cwd))
    return withConversation(context, source, async (conversation) => ({
      ...(await conversation.persistenceReport(options)),
      ...costIn((await conversation.describe()).totals),
    }));
  const { envelope } = await readEnvelopeText(source, context.cwd);
  const cost = costIn(envelope.accounting.totals);
  if (media === undefined) return { ...persistenceReport(envelope), ...cost };
  const state = await storeMedia(envelope, new MemoryMediaStore());
  return { ...persistenceReport(fromFileData(state), savePlan(envelope.agent, options)), ...cost };
}

function costIn({ cost }: AccountingTotals): Pick<Report, "cost"> {
  return cost === undefined ? {} : { cost };
}

function describe({ size_bytes, message_count, media_count, media, cost }: Report): readonly string[] {
  return [
    `${byteSize(size_bytes)} (${size_bytes.toLocaleString("en-US")} bytes) · ${count(message_count, "message")} · ${count(media_count, "medium").replace("mediums", "media")}`,
    ...(cost === undefined ? [] : [`cost ${costText(cost)}`]),
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

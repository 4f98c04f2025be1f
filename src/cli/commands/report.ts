/** `holdfast report`: what a save would write. */
import type { Conversation } from "../../client/conversation.js";
import type { SaveOptions } from "../../client/conversation-options.js";
import { isEnvelopePath, readEnvelopeText } from "../../client/read-envelope-text.js";
import { storeMedia } from "../../connection/store-media.js";
import type { AccountingTotals, Envelope, PersistenceReport } from "../../core/envelope/envelope.js";
import { persistenceReport } from "../../core/envelope/persistence-report.js";
import { fromFileData } from "../../core/media/google-files.js";
import { type MediaWhereabouts, mediaWhereabouts } from "../../core/media/media-whereabouts.js";
import { savePlan } from "../../core/media/policy.js";
import { MemoryMediaStore } from "../../media-stores/memory-media-store.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import { jsonArgument, maxInlineArgument, mediaArgument, moduleArgument } from "../common-arguments.js";
import { withConversation } from "../connect.js";
import { whereOf } from "../media-lines.js";
import { saveOptions } from "../save-options.js";
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
  "media-store": {
    type: "string",
    valueHint: "DIR",
    description: "of a save into this store: a folder, s3://bucket/prefix, or a store of --module",
    completes: "file",
  },
  "media-max-inline-bytes": maxInlineArgument,
  module: moduleArgument,
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

/** Of a file each medium also says where its bytes are. */
interface Report extends Omit<PersistenceReport, "media"> {
  readonly media: readonly (PersistenceReport["media"][number] & Partial<MediaWhereabouts>)[];
  /** Of all turns so far, where it is known. */
  readonly cost?: number;
}

async function reportOn(context: CommandContext<typeof args>): Promise<Report> {
  const { source, module } = context.args;
  const options = saveOptions(context.args);
  const ofConversation = async (conversation: Conversation): Promise<Report> => ({
    ...(await conversation.persistenceReport(options)),
    ...costIn((await conversation.describe()).totals),
  });
  if (!isEnvelopePath(source, context.cwd)) return withConversation(context, source, ofConversation, module);
  const { envelope } = await readEnvelopeText(source, context.cwd);
  return { ...(await ofFile(envelope, options)), ...costIn(envelope.accounting.totals) };
}

/** As the file is, or as such a save would write it. */
async function ofFile(envelope: Envelope, options: SaveOptions): Promise<Report> {
  if (Object.keys(options).length === 0) {
    const report = persistenceReport(envelope);
    const where = mediaWhereabouts(envelope);
    return { ...report, media: report.media.map((medium, index) => ({ ...where[index], ...medium })) };
  }
  const state = await storeMedia(envelope, new MemoryMediaStore());
  const { media, mediaStore, mediaMaxInlineBytes } = options;
  return persistenceReport(
    fromFileData(state),
    savePlan(envelope.agent, {
      ...(media === undefined ? {} : { media }),
      hasStore: mediaStore !== undefined,
      ...(mediaMaxInlineBytes === undefined ? {} : { maxInlineBytes: mediaMaxInlineBytes }),
    }),
  );
}

function costIn({ cost }: AccountingTotals): Pick<Report, "cost"> {
  return cost === undefined ? {} : { cost };
}

function describe({ size_bytes, message_count, media_count, media, cost }: Report): readonly string[] {
  const isFile = media.some(({ bytes }) => bytes !== undefined);
  return [
    `${byteSize(size_bytes)} (${size_bytes.toLocaleString("en-US")} bytes) · ${count(message_count, "message")} · ${count(media_count, "medium").replace("mediums", "media")}`,
    ...(cost === undefined ? [] : [`cost ${costText(cost)}`]),
    ...(media.length === 0
      ? []
      : table([
          ["MESSAGE", "KIND", "TYPE", "SIZE", ...(isFile ? ["BYTES"] : [])],
          ...media.map((entry) => [
            String(entry.message_index),
            entry.kind,
            entry.mime_type,
            byteSize(entry.size_bytes),
            ...(entry.bytes === undefined ? [] : [whereOf({ ...entry, bytes: entry.bytes })]),
          ]),
        ])),
  ];
}

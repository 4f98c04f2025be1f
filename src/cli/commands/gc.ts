/** `holdfast gc`: which blobs of a media store nothing needs any more, and away with them. */
import type { GarbageReport } from "../../client/collect-garbage.js";
import { isS3Url } from "../../media-stores/s3-location.js";
import { type Command, defineCommand } from "../command.js";
import { jsonArgument, moduleArgument } from "../common-arguments.js";
import { connect } from "../connect.js";
import { durationOption } from "../duration-option.js";
import { table } from "../table.js";
import type { Terminal } from "../terminal.js";
import { byteSize, count, hint, minute } from "../wording.js";

/** A blob on S3 that is put again is renewed when it is older than that. */
const S3_RENEWAL_MS: number = 12 * 60 * 60 * 1000;

export const command: Command = defineCommand({
  args: {
    paths: {
      type: "positional",
      required: false,
      variadic: true,
      valueHint: "FILE|FOLDER",
      description: "envelopes whose media stay; in a folder every .json file is one",
      completes: "file",
    },
    delete: { type: "boolean", description: "deletes them; without it nothing is changed" },
    "older-than": {
      type: "string",
      valueHint: "TIME",
      description: "only what was put longer ago: 90s, 30m, 12h, 7d; by default 1d",
    },
    "media-store": {
      type: "string",
      valueHint: "DIR|URL",
      description: "the store to look through; by default the working store",
    },
    module: moduleArgument,
    json: jsonArgument,
  },
  details:
    "What open conversations, kept last envelopes of closed ones, and the envelopes named here need stays. Envelopes elsewhere whose media lie in the store must be named. If anything cannot be read, nothing is deleted.",
  examples: [
    ["what would go?", "holdfast gc checkpoints"],
    ["away with it", "holdfast gc checkpoints --delete"],
  ],
  run: async (context) => {
    const { args, terminal } = context;
    const olderThanMs = durationOption("older-than", args["older-than"]);
    await using conversations = await connect(context, args.module);
    const report = await conversations.gc({
      delete: args.delete,
      envelopes: args.paths,
      ...(olderThanMs === undefined ? {} : { olderThanMs }),
      ...(args["media-store"] === undefined ? {} : { mediaStore: args["media-store"] }),
    });
    if (args.json) terminal.json(report);
    else tell(report, terminal);
    return undefined;
  },
});

function tell(report: GarbageReport, terminal: Terminal): void {
  const { garbage, deleted, scanned, size_bytes, store, older_than_ms } = report;
  for (const line of rows(report, terminal)) terminal.print(line);
  terminal.note(
    `${store}: ${count(scanned.blobs, "blob")}; read ${count(scanned.open_conversations, "open conversation")}, ${count(scanned.closed_conversations, "closed one")} and ${count(scanned.envelopes, "named envelope")}.`,
  );
  if (isS3Url(store) && older_than_ms < S3_RENEWAL_MS)
    terminal.warn(
      "On S3 a file that is attached again may still look 12 hours old: give --older-than 12h or more.",
    );
  tellLeftovers(report, terminal);
  const what = `${count(garbage.length, "blob")}, ${byteSize(size_bytes)}`;
  if (garbage.length === 0) terminal.note("There is no garbage.");
  else if (deleted) terminal.note(`Deleted: ${what}.`);
  else terminal.note(hint(`Garbage: ${what}. Nothing was deleted; --delete does it.`));
}

function tellLeftovers(report: GarbageReport, terminal: Terminal): void {
  const { leftovers, leftovers_error, deleted, store } = report;
  if (leftovers_error !== undefined) terminal.warn(leftovers_error);
  if (leftovers.length === 0) return;
  const size = leftovers.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const what = isS3Url(store)
    ? `${count(leftovers.length, "upload")} that broke off, ${byteSize(size)} of parts`
    : `${count(leftovers.length, "temporary file")} of writes that were killed, ${byteSize(size)}`;
  terminal.note(deleted ? `Deleted: ${what}.` : hint(`Besides: ${what}; --delete takes them away.`));
}

function rows({ garbage }: GarbageReport, terminal: Terminal): readonly string[] {
  if (garbage.length === 0) return [];
  const lines = table([
    ["BLOB", "SIZE", "PUT"],
    ...garbage.map(({ key, size_bytes, modified_at }) => [key, byteSize(size_bytes), minute(modified_at)]),
  ]);
  return lines.map((line, index) => (index === 0 ? terminal.style("dim", line) : line));
}

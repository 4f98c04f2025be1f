/** `holdfast inspect`: what an envelope holds, and whether it is whole. Needs no server. */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isMediaLoss, mediaLine } from "../../connection/log-media.js";
import type { Envelope, MediaReportEntry } from "../../core/envelope/envelope.js";
import { parseEnvelope } from "../../core/envelope/parse-envelope.js";
import { persistenceReport } from "../../core/envelope/persistence-report.js";
import { assertReadableFile } from "../../core/envelope/readable-size.js";
import { serialiseEnvelope, unknownKeysOf } from "../../core/envelope/serialise-envelope.js";
import {
  EnvelopeDamagedError,
  InvalidHistoryError,
  isHoldfastError,
  UsageError,
} from "../../core/errors/errors.js";
import { mediaWhereabouts } from "../../core/media/media-whereabouts.js";
import { writeFileAtomically } from "../../media-stores/write-file-atomically.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import { jsonArgument } from "../common-arguments.js";
import { type CheckedMedium, checkedMedia, mediaLines } from "../media-lines.js";
import { table } from "../table.js";
import type { Terminal } from "../terminal.js";
import { byteSize, costPart, count, minute, shorten, tokens } from "../wording.js";

const args = {
  file: { type: "positional", valueHint: "FILE", description: "the envelope", completes: "file" },
  reseal: {
    type: "boolean",
    description: "writes it anew with the checksum of what is in it; its shape must be sound",
  },
  out: {
    type: "string",
    alias: "o",
    valueHint: "FILE",
    description: "with --reseal: where to, instead of over FILE",
    completes: "file",
  },
  "media-store": {
    type: "string",
    valueHint: "DIR",
    description:
      "also looks whether this store has the bytes that the file names: a folder, or s3://bucket/prefix",
    completes: "file",
  },
  json: jsonArgument,
} as const;

type Context = CommandContext<typeof args>;

export const command: Command = defineCommand({
  args,
  examples: [
    ["is this file sound?", "holdfast inspect checkpoints/contract-review.json"],
    ["after an edit by hand", "holdfast inspect edited.json --reseal"],
  ],
  run: async (context) => {
    const { args: given, cwd } = context;
    if (given.out !== undefined && !given.reseal)
      throw new UsageError("--out needs --reseal: inspect itself writes nothing.");
    const text = await readText(given.file, cwd);
    if (!given.reseal) return inspect(context, text);
    await reseal(context, text);
    return undefined;
  },
});

async function readText(file: string, cwd: string): Promise<string> {
  try {
    const path = resolve(cwd, file);
    assertReadableFile((await stat(path)).size, file);
    return await readFile(path, "utf8");
  } catch (error) {
    if (isHoldfastError(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const what = code === "ENOENT" ? "does not exist" : `cannot be read (${code ?? "unknown"})`;
    throw new UsageError(`The envelope ${file} ${what}: check the path.`, { cause: error });
  }
}

async function reseal({ args: given, terminal, cwd }: Context, text: string): Promise<void> {
  const { envelope, migratedFrom } = parseEnvelope(text, { source: given.file, ignoreChecksum: true });
  const out = given.out ?? given.file;
  await writeFileAtomically(resolve(cwd, out), serialiseEnvelope(envelope));
  if (given.json) terminal.json({ file: out, checksum: "ok" });
  else
    terminal.note(
      `${out} is sealed${migratedFrom === 3 ? "" : `, and brought from version ${migratedFrom} to 3`}.`,
    );
}

/** Exit code 1 where the store that was named lacks bytes. */
async function inspect({ args: given, terminal, cwd }: Context, text: string): Promise<number | undefined> {
  try {
    const { envelope, migratedFrom } = parseEnvelope(text, { source: given.file });
    const media = await checkedMedia(mediaWhereabouts(envelope), given["media-store"], cwd);
    const found = { ...findings(envelope, migratedFrom, hasChecksum(text)), media };
    if (given.json) terminal.json(found);
    else for (const line of describe(given.file, found, terminal)) terminal.print(line);
    return media.every(({ in_store = "ok" }) => in_store === "ok") ? undefined : 1;
  } catch (error) {
    if (given.json && isHoldfastError(error))
      terminal.json({ valid: false, error: error.code, message: error.message, problems: problemsOf(error) });
    throw error;
  }
}

type Findings = ReturnType<typeof findings> & { readonly media: readonly CheckedMedium[] };

function findings(envelope: Envelope, version: number, sealed: boolean) {
  const { metadata, accounting, interrupted_turn: interrupted } = envelope;
  return {
    valid: true,
    schema_version: version,
    conversation_id: envelope.conversation_id,
    provider: envelope.provider,
    model: envelope.model,
    created_at: envelope.created_at,
    saved_at: envelope.saved_at,
    run_count: metadata.run_count,
    turns: envelope.turn_index.length,
    totals: accounting.totals,
    checksum: sealed ? "ok" : "absent",
    interrupted_turn: interrupted,
    converted_from: envelope.converted_from,
    media_report: envelope.media_report,
    unknown_keys: Object.keys(unknownKeysOf(envelope)),
    persistence_report: persistenceReport(envelope),
    problems: [],
  };
}

const hasChecksum = (text: string): boolean =>
  typeof (JSON.parse(text.replace(/^\uFEFF/, "")) as { readonly checksum?: unknown }).checksum === "string";

function problemsOf(error: unknown): readonly unknown[] {
  return error instanceof EnvelopeDamagedError || error instanceof InvalidHistoryError ? error.issues : [];
}

function describe(file: string, found: Findings, terminal: Terminal): readonly string[] {
  const { persistence_report: report, interrupted_turn: interrupted } = found;
  const version = found.schema_version === 3 ? "3" : `${found.schema_version}, read as 3`;
  const rows = [
    ["conversation", found.conversation_id || "(no id yet)"],
    ["version", version],
    ["model", `${found.provider}:${found.model}`],
    [
      "turns",
      `${found.run_count} committed, ${found.turns} in all; ${tokens(found.totals.usage)} tokens${costPart(found.totals.cost)}`,
    ],
    ["messages", `${report.message_count}; ${byteSize(report.size_bytes)} as a save would write it`],
    ["media", report.media_count === 0 ? "none" : mediaSummary(report.media)],
    [
      "interrupted",
      interrupted === null ? "no" : `${interrupted.error_type}: ${shorten(interrupted.error, 120)}`,
    ],
    ["saved", `${minute(found.saved_at)} UTC`],
    ["checksum", found.checksum],
    ...(found.unknown_keys.length === 0 ? [] : [["unknown keys", `${found.unknown_keys.join(", ")} (kept)`]]),
  ];
  return [
    `${terminal.style("green", "✓")} ${file} is a sound envelope`,
    ...table(
      rows.map(([name = "", text = ""]) => [`  ${terminal.style("cyan", name)}`, terminal.safe(text)]),
    ),
    ...mediaLines(found.media).map((line) => terminal.safe(line)),
    ...found.media_report.map((entry) => `  ${reportLine(entry, terminal)}`),
  ];
}

function reportLine(entry: MediaReportEntry, terminal: Terminal): string {
  const line = terminal.safe(mediaLine(entry));
  return isMediaLoss(entry) ? terminal.style("yellow", line) : line;
}

function mediaSummary(media: Findings["persistence_report"]["media"]): string {
  const bytes = media.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const types = [...new Set(media.map(({ mime_type }) => mime_type))].join(", ");
  return `${count(media.length, "part")}, ${byteSize(bytes)}: ${types}`;
}

/** `holdfast import`: from an envelope, or from a provider's own history, to a conversation. */
import type { Conversation } from "../../client/conversation.js";
import type { RestoreOptions } from "../../client/conversation-options.js";
import type { Conversations } from "../../client/conversations.js";
import { Agent } from "../../core/agent.js";
import { UNKNOWN_MODEL } from "../../core/envelope/envelope.js";
import { ConversationExistsError, UsageError } from "../../core/errors/errors.js";
import { dialectOf } from "../../core/providers.js";
import { agentOnModel, leftOutLine } from "../agent-on-model.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import {
  convertArgument,
  dialectArgument,
  jsonArgument,
  moduleArgument,
  sourceArgument,
} from "../common-arguments.js";
import { connect } from "../connect.js";
import { conversionLines } from "../conversion-lines.js";
import { readEnvelopeSource, readHistorySource } from "../read-source.js";
import { count } from "../wording.js";

const args = {
  file: sourceArgument,
  id: {
    type: "string",
    valueHint: "ID",
    description: "the new conversation's id; by default the envelope's own",
  },
  model: {
    type: "string",
    alias: "m",
    description: "continues it on another model, also of another provider",
  },
  from: dialectArgument,
  replace: { type: "boolean", description: "closes the open conversation of that id first" },
  checkpoint: {
    type: "string",
    valueHint: "PATH",
    description: "a file that is rewritten after each turn, on the worker's machine",
    completes: "file",
  },
  "media-store": {
    type: "string",
    valueHint: "DIR",
    description:
      "where the bytes of externalized attachments lie, if the agent does not say: a folder or s3:// URL",
    completes: "file",
  },
  module: moduleArgument,
  "preserve-media": {
    type: "boolean",
    description: "keeps attachments whose bytes are missing in the history, instead of a text in their place",
  },
  convert: convertArgument,
  json: jsonArgument,
} as const;

type Context = CommandContext<typeof args>;

export const command: Command = defineCommand({
  args,
  details: "The file is only read. Everything that is wrong with it is said before anything starts.",
  examples: [
    ["goes on where it was", "holdfast import checkpoints/contract-review.json"],
    [
      "a copy on another model",
      "holdfast import contract-review.json --id second-opinion --model claude-opus-5-5",
    ],
    ["a history from elsewhere", "holdfast import messages.json --from openai --model claude-haiku-4-5"],
  ],
  run: importConversation,
});

/** What was read, and how a conversation comes of it. */
interface Found {
  readonly id: string;
  readonly model: string;
  readonly migratedFrom: number | null;
  readonly notes: readonly string[];
  readonly start: (conversations: Conversations, options: RestoreOptions) => Promise<Conversation>;
}

async function importConversation(context: Context): Promise<undefined> {
  const { args: given } = context;
  const found = await (given.from === undefined ? envelopeFound(context) : historyFound(context));
  await using conversations = await connect(context, given.module);
  const conversation = await found.start(conversations, optionsOf(context)).catch((error: unknown) => {
    throw error instanceof ConversationExistsError ? inWordsOfTheCommand(given.id ?? found.id, error) : error;
  });
  await tell(context, conversation, found);
  return undefined;
}

async function envelopeFound({ args: given, cwd }: Context): Promise<Found> {
  const { source, envelope, migratedFrom } = await readEnvelopeSource(given.file, cwd, given.id);
  if (given.model === undefined && envelope.model === UNKNOWN_MODEL)
    throw new UsageError(
      `${given.file === "-" ? "The envelope" : given.file} names no model of ${envelope.provider}: say with --model which one continues it.`,
    );
  const moved = given.model === undefined ? undefined : agentOnModel(envelope, given.model);
  const note = moved === undefined ? undefined : leftOutLine(moved);
  return {
    id: envelope.conversation_id,
    model: given.model ?? `${envelope.provider}:${envelope.model}`,
    migratedFrom,
    notes: note === undefined ? [] : [note],
    start: (conversations, options) =>
      conversations.fromJson(source, moved === undefined ? options : { ...options, agent: moved.agent }),
  };
}

async function historyFound({ args: given, cwd }: Context): Promise<Found> {
  const { from, model } = given;
  if (from === undefined || model === undefined)
    throw new UsageError("A history names no model: say with --model which one continues it.");
  const agent = new Agent({ model });
  const history = await readHistorySource(given.file, from, cwd);
  return {
    id: "",
    model,
    migratedFrom: null,
    notes: [],
    start: (conversations, options) =>
      conversations.fromMessages(history, { ...options, dialect: from, agent }),
  };
}

function optionsOf({ args: given }: Context): RestoreOptions {
  return {
    ifExists: given.replace ? "replace" : "error",
    ...(given.id === undefined ? {} : { id: given.id }),
    ...(given.checkpoint === undefined ? {} : { checkpoint: { path: given.checkpoint } }),
    ...(given.convert ? {} : { convert: false }),
    ...(given["media-store"] === undefined ? {} : { mediaStore: given["media-store"] }),
    ...(given["preserve-media"] ? { preserveMedia: true } : {}),
  };
}

async function tell(
  { args: given, terminal }: Context,
  conversation: Conversation,
  found: Found,
): Promise<void> {
  const { run_count, converted_from, metadata, provider } = await conversation.describe();
  const last = metadata.served_models.at(-1);
  const cameFrom = last?.event === "restore" ? last.from?.provider : undefined;
  const crossed = cameFrom !== undefined && dialectOf(cameFrom) !== dialectOf(provider);
  const conversion_report = crossed ? await conversation.conversionReport() : [];
  const { model, migratedFrom: migrated_from } = found;
  if (given.json) {
    const conversion = crossed ? { converted_from, conversion_report } : {};
    terminal.json({ conversation_id: conversation.id, model, run_count, migrated_from, ...conversion });
    return;
  }
  terminal.note(`${conversation.id} goes on after ${count(run_count, "turn")}, on ${model}.`);
  for (const line of [...found.notes, ...conversionLines(conversion_report)]) terminal.note(line);
}

function inWordsOfTheCommand(id: string, cause: unknown): ConversationExistsError {
  return new ConversationExistsError(
    `Conversation ${id} is open already: continue it with \`holdfast send ${id} …\`, import a copy with --id, or replace it with --replace.`,
    { cause },
  );
}

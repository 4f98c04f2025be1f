/** `holdfast import`: from an envelope to a conversation. */
import { resolve } from "node:path";
import { text as readText } from "node:stream/consumers";
import { readEnvelopeText } from "../../client/read-envelope-text.js";
import { Agent } from "../../core/agent.js";
import type { Envelope } from "../../core/envelope/envelope.js";
import { ConversationExistsError } from "../../core/errors/errors.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import { jsonArgument } from "../common-arguments.js";
import { connect } from "../connect.js";
import { count } from "../wording.js";

const args = {
  file: {
    type: "positional",
    valueHint: "FILE",
    description: "the envelope; - reads it from stdin",
    completes: "file",
  },
  id: {
    type: "string",
    valueHint: "ID",
    description: "the new conversation's id; by default the envelope's own",
  },
  model: { type: "string", alias: "m", description: "continues it on another model of the same provider" },
  replace: { type: "boolean", description: "closes the open conversation of that id first" },
  checkpoint: {
    type: "string",
    valueHint: "PATH",
    description: "a file that is rewritten after each turn, on the worker's machine",
    completes: "file",
  },
  json: jsonArgument,
} as const;

export const command: Command = defineCommand({
  args,
  details: "The file is only read. Everything that is wrong with it is said before anything starts.",
  examples: [
    ["goes on where it was", "holdfast import checkpoints/contract-review.json"],
    [
      "a copy on another model",
      "holdfast import contract-review.json --id second-opinion --model claude-opus-5-5",
    ],
  ],
  run: importConversation,
});

async function importConversation(context: CommandContext<typeof args>): Promise<undefined> {
  const { args: given, terminal, cwd } = context;
  const source = given.file === "-" ? await readText(process.stdin) : asPath(given.file, cwd);
  const { envelope, migratedFrom } = await readEnvelopeText(source, cwd, given.id);
  const agent = given.model === undefined ? undefined : agentOn(given.model, envelope);
  await using conversations = await connect(context);
  const conversation = await conversations
    .fromJson(source, {
      ifExists: given.replace ? "replace" : "error",
      ...(agent === undefined ? {} : { agent }),
      ...(given.id === undefined ? {} : { id: given.id }),
      ...(given.checkpoint === undefined ? {} : { checkpoint: { path: given.checkpoint } }),
    })
    .catch((error: unknown) => {
      throw error instanceof ConversationExistsError
        ? inWordsOfTheCommand(given.id ?? envelope.conversation_id, error)
        : error;
    });
  const model = agent?.spec.model ?? `${envelope.provider}:${envelope.model}`;
  if (given.json) {
    terminal.json({
      conversation_id: conversation.id,
      model,
      run_count: envelope.metadata.run_count,
      migrated_from: migratedFrom,
    });
    return;
  }
  terminal.note(
    `${conversation.id} goes on after ${count(envelope.metadata.run_count, "turn")}, on ${model}.`,
  );
}

/** A name that begins as JSON does is a path here all the same. */
const asPath = (file: string, cwd: string): string => (/^\s*[{[]/.test(file) ? resolve(cwd, file) : file);

/** The envelope's own agent, on another model. */
function agentOn(model: string, { agent }: Envelope): Agent {
  if (agent !== null && typeof agent === "object") return Agent.fromSpec({ ...agent, model });
  return new Agent({ model, ...(agent === null ? {} : { name: agent }) });
}

function inWordsOfTheCommand(id: string, cause: unknown): ConversationExistsError {
  return new ConversationExistsError(
    `Conversation ${id} is open already: continue it with \`holdfast send ${id} …\`, import a copy with --id, or replace it with --replace.`,
    { cause },
  );
}

/** `holdfast send`: one message, one answer. */
import { randomUUID } from "node:crypto";
import { text as readText } from "node:stream/consumers";
import { checkFiles } from "../../client/check-files.js";
import type { Conversation } from "../../client/conversation.js";
import type { RunOptions } from "../../client/conversation-options.js";
import type { Conversations } from "../../client/conversations.js";
import { assertMessage } from "../../client/message-limits.js";
import { Agent } from "../../core/agent.js";
import { ConversationNotFoundError, NoWorkerError, UsageError } from "../../core/errors/errors.js";
import { answerTurn, tellTurn } from "../answer-turn.js";
import { limitsOption } from "../budget-option.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import { fileArgument, jsonArgument, turnBudgetArgument, waitArgument } from "../common-arguments.js";
import { connect } from "../connect.js";
import { agentArgument, assertAgentAlone, assertFollows, deployedAgent } from "../deployed-agent.js";
import { readOutputSchema } from "../read-output-schema.js";
import { turnSummaries } from "../turn-summaries.js";
import { shorten } from "../wording.js";

const args = {
  target: {
    type: "positional",
    required: false,
    valueHint: "ID",
    description:
      "the conversation; with --model it is started if there is none, and without an id under a new one",
    completes: "conversation",
  },
  message: {
    type: "positional",
    required: false,
    variadic: true,
    valueHint: "MESSAGE",
    description: "the message; - reads it from stdin",
  },
  id: {
    type: "string",
    valueHint: "ID",
    description: "the conversation, so that everything else is the message",
    completes: "conversation",
  },
  model: {
    type: "string",
    alias: "m",
    description: "starts the conversation on this model if there is none",
  },
  agent: agentArgument,
  instructions: {
    type: "string",
    alias: "i",
    valueHint: "TEXT",
    description: "its instructions when it is started",
  },
  file: fileArgument,
  checkpoint: {
    type: "string",
    valueHint: "PATH",
    description: "when it is started: a file that is rewritten after each turn, on the worker's machine",
    completes: "file",
  },
  "turn-id": {
    type: "string",
    valueHint: "ID",
    description: "sent twice under one turn id, a message runs once",
  },
  "on-busy": {
    type: "enum",
    options: ["queue", "reject", "interrupt"],
    description: "while another turn runs: wait (the default), be refused, or stop it",
  },
  "output-schema": {
    type: "string",
    valueHint: "FILE",
    description: "a JSON Schema that the answer must fit; what is printed is the JSON",
    completes: "file",
  },
  budget: turnBudgetArgument,
  wait: waitArgument,
  json: jsonArgument,
} as const;

type Context = CommandContext<typeof args>;

export const command: Command = defineCommand({
  args,
  examples: [
    ["starts a conversation, or continues it", 'holdfast send hello "Who are you?" --model claude-haiku-4-5'],
    ["with an agent of the worker", 'holdfast send hello "Who are you?" --agent reviewer'],
    ["with a file", 'holdfast send contract-review "Summarise clause 4." -f contract.pdf'],
    [
      "an answer as data",
      'holdfast send invoices "Who wrote it?" -f invoice.pdf --output-schema invoice.schema.json',
    ],
    ["from stdin", "git diff | holdfast send review - -m claude-haiku-4-5 -i 'You review code.'"],
  ],
  run,
});

async function run(context: Context): Promise<number | undefined> {
  const { args: given, terminal } = context;
  const { id, message } = await readMessage(given);
  const output = await readOutputSchema(given["output-schema"], context.cwd);
  const unnamed = agentOf(given);
  const budget = limitsOption(given.budget);
  await using conversations = await connect(context);
  const agent =
    given.agent === undefined ? unnamed : deployedAgent(given.agent, given.model, conversations.settings);
  const conversation = await openOrStart(conversations, { ...context, id, agent });
  if (id === undefined) terminal.note(`Conversation ${conversation.id} begins.`);
  await warnOfAnotherMessage(context, conversation, message);
  const options: RunOptions = {
    files: given.file,
    turnId: given["turn-id"] ?? randomUUID(),
    ...(budget === undefined ? {} : { budget }),
    ...(given["on-busy"] === undefined ? {} : { onBusy: given["on-busy"] }),
    ...(output === undefined ? {} : { output }),
  };
  const asked = { terminal, conversations, conversation, json: given.json };
  if (given.wait)
    return await answerTurn(asked, (follow) => conversation.run(message, { ...options, ...follow }));
  tellTurn(asked, (await conversation.submit(message, options)).turnId);
  return undefined;
}

async function readMessage({ target, message, id, file }: Context["args"]): Promise<{
  readonly id: string | undefined;
  readonly message: string;
}> {
  const words = [target, ...message].filter((word) => word !== undefined);
  const [first = ""] = words;
  // One word alone is the message, of a new conversation; beside a file it may be all there is.
  const named = id === undefined && (words.length > 1 || (file.length > 0 && !/\s/.test(first)));
  if (named && /\s/.test(first)) throw noId(first);
  const said = named ? words.slice(1) : words;
  if (file.length > 0 && said.length > 1) throw tooMuch(said.slice(1));
  const text = said.length === 1 && said[0] === "-" ? await readText(process.stdin) : said.join(" ");
  assertMessage(text, file.length);
  return { id: named ? words[0] : id, message: text };
}

/** Behind `-f a.pdf` a second path looks like a word of the message, which would be sent in its place. */
function tooMuch(words: readonly string[]): UsageError {
  const shown = shorten(words.map((word) => JSON.stringify(word)).join(" "), 100);
  return new UsageError(
    `Too much: ${shown}. Quote the message as one word; -f takes one path each: -f a.pdf -f b.png.`,
  );
}

/** Such an id can be made, and then takes --id; a message that is no id must not become one. */
function noId(text: string): UsageError {
  return new UsageError(
    `${JSON.stringify(shorten(text, 60))} is no conversation's id: name the id first and quote the message, \`holdfast send ID "MESSAGE"\`; an id with blanks goes with --id.`,
  );
}

/** Without a name: that of a deployed one is looked up once the server is known. */
function agentOf({ agent, model, instructions }: Context["args"]): Agent | undefined {
  assertAgentAlone({ agent, instructions });
  if (model !== undefined)
    return new Agent({ model, ...(instructions === undefined ? {} : { instructions }) });
  if (instructions === undefined) return undefined;
  throw new UsageError("--instructions start a conversation and need --model as well.");
}

async function openOrStart(
  conversations: Conversations,
  {
    id,
    agent,
    args: { checkpoint, file, model, agent: agentName },
    cwd,
  }: Context & {
    readonly id: string | undefined;
    readonly agent: Agent | undefined;
  },
): Promise<Conversation> {
  if (id !== undefined) {
    try {
      const conversation = await conversations.open(id);
      if (agent !== undefined && model !== undefined) await assertModel(conversation, agent);
      await unlessNoWorker(assertFollows(conversation, agentName));
      return conversation;
    } catch (error) {
      if (!(error instanceof ConversationNotFoundError)) throw error;
      if (agent === undefined) {
        throw new ConversationNotFoundError(
          `There is no conversation ${JSON.stringify(id)}: name a --model, or an --agent of the worker, to start it; \`holdfast list\` shows those that are open.`,
        );
      }
    }
  }
  if (agent === undefined) {
    throw new UsageError(
      "Name the conversation and the message, or a --model to start a new one: `holdfast send ID MESSAGE`.",
    );
  }
  // A file that cannot be read, or is not taken, must not leave an empty conversation behind.
  await checkFiles(file, { cwd, reader: agent.resolved });
  return conversations.start(agent, {
    id: id ?? `chat-${randomUUID().slice(0, 8)}`,
    ...(checkpoint === undefined ? {} : { checkpoint: { path: checkpoint } }),
  });
}

/** Who names a model must not be answered, and billed, by another one. */
async function assertModel(conversation: Conversation, { spec, resolved }: Agent): Promise<void> {
  const status = await unlessNoWorker(conversation.status());
  if (status === undefined || status.state === "closed") return;
  const { provider, model } = status;
  if (provider === resolved.provider && model === resolved.model) return;
  throw new UsageError(
    `Conversation ${conversation.id} is on ${provider}:${model}: \`holdfast rebind ${conversation.id} ${spec.model}\` moves it, or leave --model out.`,
  );
}

/** A turn id runs once, whatever is sent under it later. */
async function warnOfAnotherMessage(
  { terminal, args: { "turn-id": turnId } }: Context,
  conversation: Conversation,
  message: string,
): Promise<void> {
  if (turnId === undefined) return;
  const envelope = await unlessNoWorker(conversation.inspect());
  const ended = envelope && turnSummaries(envelope).find((turn) => turn.turn_id === turnId);
  if (ended === undefined || ended.question === null || ended.question.trim() === message.trim()) return;
  terminal.warn(
    `Turn ${turnId} has ended already, with another message: this one is not sent, and what follows is how that one ended.`,
  );
}

/** Without a worker a message waits at the server, unlike a question about the conversation. */
async function unlessNoWorker<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NoWorkerError) return undefined;
    throw error;
  }
}

/** `holdfast chat`: a conversation by hand. Its text is on stdout; prompt and remarks are on stderr. */
import { randomUUID } from "node:crypto";
import { checkFiles } from "../../client/check-files.js";
import type { Conversation } from "../../client/conversation.js";
import type { Conversations } from "../../client/conversations.js";
import { Cleanup } from "../../connection/cleanup.js";
import { loadEnvFile } from "../../connection/env-file.js";
import { resolveSettings, type Settings } from "../../connection/settings.js";
import { WarningLogger } from "../../connection/warning-logger.js";
import { Agent } from "../../core/agent.js";
import {
  ConversationNotFoundError,
  MissingKeyError,
  ServerUnreachableError,
  UsageError,
} from "../../core/errors/errors.js";
import { resolveModel } from "../../core/providers.js";
import { ChatSession } from "../chat-session.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import { fileArgument, workerArguments } from "../common-arguments.js";
import { agentArgument, assertAgentAlone, assertFollows, deployedAgent } from "../deployed-agent.js";
import { canCall, decidingVariable, SIMULATED_MODEL, simulatorOf } from "../provider-keys.js";
import { watchServer } from "../server-watch.js";
import { stopSignals } from "../stop-signals.js";
import { commandName, hint } from "../wording.js";

const args = {
  id: {
    type: "positional",
    required: false,
    valueHint: "ID",
    description: "a conversation to continue, or the id of the new one",
    completes: "conversation",
  },
  model: { type: "string", alias: "m", description: "the model of a new conversation" },
  agent: agentArgument,
  instructions: { type: "string", alias: "i", valueHint: "TEXT", description: "its instructions" },
  file: {
    ...fileArgument,
    description: "goes with the first message; -f before each one: -f a.pdf -f b.png",
  },
  simulate: workerArguments.simulate,
} as const;

type Context = CommandContext<typeof args>;

export const command: Command = defineCommand({
  args,
  details:
    "Uses the server of TEMPORAL_ADDRESS or of the `holdfast dev` that runs here; where there is none, it starts its own for as long as it runs.\nCtrl-C stops the answer, a second one ends the chat. /help lists what else can be typed.",
  examples: [
    ["without a key", "holdfast chat --simulate"],
    ["goes on where it was", "holdfast chat contract-review"],
  ],
  run: chat,
});

async function chat(context: Context): Promise<undefined> {
  const { args: given, terminal, env, cwd } = context;
  const envFile = loadEnvFile(cwd, env);
  if (given.model !== undefined) resolveModel(given.model);
  assertAgentAlone(given);
  await checkFiles(given.file, { cwd });
  const settings = knownSettings(context);
  // Until all is closed: a signal meanwhile asks for what is under way.
  using signals = stopSignals();
  await using conversations = await connectOrEmbed(context, settings);
  if (envFile !== null) terminal.note(`${envFile.path} was read.`);
  const conversation = await openOrStart(conversations, context);
  await using later = new Cleanup();
  let current: Conversations = conversations;
  const reopen = async (): Promise<Conversation> => {
    const again = await connectOrEmbed(context, knownSettings(context, true));
    try {
      const found = await again.open(conversation.id);
      await found.status();
      later.use(again);
      current = again;
      return found;
    } catch (error) {
      await again.close();
      throw error;
    }
  };
  const session = new ChatSession(conversation, {
    ...(settings === undefined ? {} : { reopen, watch: (tell) => watchServer(current, tell) }),
    terminal,
    cwd,
    files: given.file,
    embedded: settings === undefined,
  });
  void signals.stopped.then(() => session.leave());
  await session.run();
  if (settings === undefined) terminal.note(farewell(conversation.id, given.simulate));
  return undefined;
}

/** The server ends with the chat, what was said does not. */
function farewell(id: string, simulated: boolean): string {
  const again = `${commandName()} chat ${id}${simulated ? " --simulate" : ""}`;
  return `${id} is kept in .holdfast/ of this folder: \`${again}\` goes on with it.`;
}

/** The server that is there, else one of our own. */
async function connectOrEmbed(context: Context, settings: Settings | undefined): Promise<Conversations> {
  const { terminal, env, cwd, args: given } = context;
  const { Conversations: client } = await import("../../client/conversations.js");
  const logger = new WarningLogger((line) => terminal.warn(line));
  if (settings !== undefined) {
    assertSimulated(settings, given.simulate);
    return client.connect({ env, cwd, logger });
  }
  assertCanAnswer(context);
  terminal.note(hint("No `holdfast dev` runs here: starting a server for as long as this chat runs…"));
  return client.connect({ env, cwd, logger, embedded: true, simulate: given.simulate });
}

/** Undefined where a server of our own is wanted. `needed`: @throws ServerUnreachableError in its place. */
function knownSettings({ env, cwd }: Context, needed = false): Settings | undefined {
  try {
    return resolveSettings({ env, cwd });
  } catch (error) {
    if (error instanceof ServerUnreachableError && !needed) return undefined;
    throw error;
  }
}

/** Who asks for the simulator must not be answered, and billed, by somebody else. */
function assertSimulated({ simulatorUrl, source }: Settings, wanted: boolean): void {
  if (!wanted || simulatorUrl !== null) return;
  throw new UsageError(
    source === "dev-folder"
      ? "The `holdfast dev` that runs here calls the real services: start that one with --simulate."
      : "--simulate starts a server of its own: unset TEMPORAL_ADDRESS for it.",
  );
}

function assertCanAnswer({ env, args: { simulate, model, agent } }: Context): void {
  if (agent !== undefined)
    throw new UsageError(
      "No worker runs here that could have the --agent: start `holdfast dev MODULE` with a module that exports it, and chat beside it.",
    );
  if (simulate || simulatorOf(env) !== undefined) return;
  if (model === undefined)
    throw new UsageError("Name a --model (such as claude-haiku-4-5), or use --simulate.");
  const resolved = resolveModel(model);
  if (canCall(resolved, env)) return;
  throw new MissingKeyError(
    `${decidingVariable(resolved.provider)} is not set: set it, or write it into .env, or use --simulate.`,
  );
}

async function openOrStart(conversations: Conversations, context: Context): Promise<Conversation> {
  const { id, file, agent: agentName } = context.args;
  const { cwd } = context;
  if (id !== undefined) {
    try {
      const conversation = await conversations.open(id);
      await assertFollows(conversation, agentName);
      if (file.length > 0) await checkFiles(file, { cwd, reader: await conversation.status() });
      return conversation;
    } catch (error) {
      if (!(error instanceof ConversationNotFoundError)) throw error;
    }
  }
  const agent = agentOf(context, conversations.settings);
  await checkFiles(file, { cwd, reader: agent.resolved });
  return conversations.start(agent, { id: id ?? `chat-${randomUUID().slice(0, 8)}` });
}

function agentOf({ args: { id, agent, model, instructions, simulate } }: Context, settings: Settings): Agent {
  if (agent !== undefined) return deployedAgent(agent, model, settings);
  const chosen = model ?? (simulate || settings.simulatorUrl !== null ? SIMULATED_MODEL : undefined);
  if (chosen === undefined) {
    const what =
      id === undefined
        ? "A new conversation needs a model"
        : `There is no conversation ${JSON.stringify(id)} yet, and a new one needs a model`;
    throw new UsageError(`${what}: name one with --model, such as claude-haiku-4-5.`);
  }
  return new Agent({ model: chosen, ...(instructions === undefined ? {} : { instructions }) });
}

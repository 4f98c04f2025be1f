/** The connection of a command: to the server that the environment, `.env` or a `holdfast dev` names. */
import type { Conversation } from "../client/conversation.js";
import type { Conversations } from "../client/conversations.js";
import { loadEnvFile } from "../connection/env-file.js";
import { WarningLogger } from "../connection/warning-logger.js";
import type { Surroundings } from "./command.js";
import { loadModule } from "./load-module.js";

/** @throws ServerUnreachableError with the remedy. The caller closes it, with `await using`. */
export async function connect(
  { terminal, env, cwd }: Surroundings,
  module?: string | undefined,
): Promise<Conversations> {
  loadEnvFile(cwd, env);
  const stores = module === undefined ? {} : (await loadModule(module, cwd)).stores;
  const client = await import("../client/conversations.js");
  return client.Conversations.connect({
    env,
    cwd,
    stores,
    logger: new WarningLogger((line) => terminal.warn(line)),
  });
}

/** Connects, opens one conversation, and closes the connection after the work. */
export async function withConversation<T>(
  surroundings: Surroundings,
  id: string,
  work: (conversation: Conversation, conversations: Conversations) => Promise<T>,
  module?: string | undefined,
): Promise<T> {
  await using conversations = await connect(surroundings, module);
  return await work(await conversations.open(id), conversations);
}

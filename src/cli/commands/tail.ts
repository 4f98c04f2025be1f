/** `holdfast tail`: follows a conversation live, every turn of it, until stopped. */
import { setTimeout as delay } from "node:timers/promises";
import { NoWorkerError, ServerUnreachableError } from "../../core/errors/errors.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import { conversationArgument } from "../common-arguments.js";
import { withConversation } from "../connect.js";
import { stopSignals } from "../stop-signals.js";
import { TailSession } from "../tail-session.js";

const AGAIN_MS = 1_000;

const args = {
  id: conversationArgument,
  turn: { type: "string", valueHint: "TURN", description: "only this turn, from its beginning to its end" },
  json: {
    type: "boolean",
    description: "prints each frame as a line of JSON, and nothing else on stdout",
  },
} as const;

export const command: Command = defineCommand({
  args,
  details:
    "Shows the turn that runs, as far as its text is still kept, and then each one that begins. A lost server is waited for; Ctrl-C ends the following, never a turn.",
  examples: [
    ["beside a chat in another window", "holdfast tail contract-review"],
    ["for a program", "holdfast tail contract-review --json | jq -r 'select(.type == \"text\").text'"],
  ],
  run: tail,
});

async function tail(context: CommandContext<typeof args>): Promise<undefined> {
  const { id, turn, json } = context.args;
  using signals = stopSignals();
  const stop = new AbortController();
  void signals.stopped.then(() => stop.abort());
  const session = new TailSession({ terminal: context.terminal, json, turn, signal: stop.signal });
  while (!stop.signal.aborted) {
    try {
      await withConversation(context, id, (conversation) => session.follow(conversation));
      return undefined;
    } catch (error) {
      if (stop.signal.aborted) return undefined;
      // Who has seen nothing yet has a wrong address, not a lost server.
      if (!(isLoss(error) && session.hasBegun)) throw error;
      session.lost();
      await delay(AGAIN_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }
  return undefined;
}

/** A server that starts again is there before its worker is. */
function isLoss(error: unknown): boolean {
  return error instanceof ServerUnreachableError || error instanceof NoWorkerError;
}

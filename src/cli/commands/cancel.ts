/** `holdfast cancel`: stops a turn, and says how it ended. */
import type { Conversation } from "../../client/conversation.js";
import { TurnInterruptedError, UsageError } from "../../core/errors/errors.js";
import { type Command, defineCommand } from "../command.js";
import { conversationArgument, jsonArgument } from "../common-arguments.js";
import { withConversation } from "../connect.js";

export const command: Command = defineCommand({
  args: {
    id: conversationArgument,
    turn: {
      type: "positional",
      required: false,
      valueHint: "TURN",
      description: "a turn's id; by default the turn that runs",
    },
    reason: { type: "string", valueHint: "TEXT", description: "is kept in the turn's record" },
    json: jsonArgument,
  },
  examples: [["the turn that runs", "holdfast cancel contract-review"]],
  run: async (context) => {
    const { args, terminal } = context;
    await withConversation(context, args.id, async (conversation) => {
      const turnId = args.turn ?? (await conversation.status()).running;
      if (turnId === null)
        throw new UsageError(`Conversation ${args.id} has no turn running: there is nothing to cancel.`);
      const { state } = await conversation.turn(turnId).view();
      if (state !== "running" && state !== "queued") throw notRunning(args.id, turnId, state);
      const ended = await cancelled(conversation, turnId, args.reason);
      if (args.json) terminal.json({ conversation_id: args.id, turn_id: turnId, state: ended });
      else
        terminal.note(
          ended === "interrupted"
            ? `Turn ${turnId} is stopped.`
            : `Turn ${turnId} had been answered already.`,
        );
    });
    return undefined;
  },
});

async function cancelled(
  conversation: Conversation,
  turnId: string,
  reason: string | undefined,
): Promise<"committed" | "interrupted"> {
  await conversation.cancel(turnId, reason);
  try {
    await conversation.turn(turnId).result();
    return "committed";
  } catch (error) {
    if (error instanceof TurnInterruptedError) return "interrupted";
    throw error;
  }
}

function notRunning(id: string, turnId: string, state: string): UsageError {
  return new UsageError(
    state === "unknown"
      ? `Conversation ${id} has no turn ${turnId}: \`holdfast show ${id}\` lists its turns.`
      : `Turn ${turnId} of ${id} has ended already (${state}): there is nothing to cancel.`,
  );
}

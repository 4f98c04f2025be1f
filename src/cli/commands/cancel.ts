/** `holdfast cancel`: stops a turn, and says how it ended. */
import type { Conversation } from "../../client/conversation.js";
import type { TurnState } from "../../core/conversation/messages.js";
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
      const { state, said } =
        turnId === null
          ? { state: null, said: `Conversation ${args.id} has no turn running: there is nothing to cancel.` }
          : await stopped(conversation, turnId, args.reason);
      if (args.json) terminal.json({ conversation_id: args.id, turn_id: turnId, state });
      else terminal.note(said);
    });
    return undefined;
  },
});

interface Stopped {
  readonly state: TurnState;
  readonly said: string;
}

/** A turn that has ended needs no stop, whether that was before this command or in the middle of it. @throws UsageError for an unknown one. */
async function stopped(
  conversation: Conversation,
  turnId: string,
  reason: string | undefined,
): Promise<Stopped> {
  const { id } = conversation;
  const { state } = await conversation.turn(turnId).view();
  if (state === "unknown")
    throw new UsageError(
      `Conversation ${id} has no turn ${turnId}: \`holdfast show ${id}\` lists its turns.`,
    );
  if (state !== "running" && state !== "queued")
    return {
      state,
      said: `Turn ${turnId} of ${id} has ended already (${state}): there is nothing to cancel.`,
    };
  return (await cancelled(conversation, turnId, reason)) === "interrupted"
    ? { state: "interrupted", said: `Turn ${turnId} is stopped.` }
    : { state: "committed", said: `Turn ${turnId} had been answered already.` };
}

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

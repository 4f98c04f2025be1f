/** `holdfast resend`: the question of an interrupted turn, once more. */
import { type Command, defineCommand } from "../command.js";
import { conversationArgument, jsonArgument } from "../common-arguments.js";
import { withConversation } from "../connect.js";
import { runTurn } from "../run-turn.js";
import { TurnDisplay } from "../turn-display.js";

const args = {
  id: conversationArgument,
  files: { type: "boolean", default: true, description: "leaves out the files that the turn had" },
  json: jsonArgument,
} as const;

export const command: Command = defineCommand({
  args,
  examples: [["after a turn that was interrupted", "holdfast resend contract-review"]],
  run: async (context) => {
    const { args: given, terminal } = context;
    await withConversation(context, given.id, async (conversation) => {
      const result = await runTurn(
        (follow) => conversation.resend({ ...follow, ...(given.files ? {} : { files: [] }) }),
        new TurnDisplay(terminal, { silent: given.json }),
      );
      if (given.json) terminal.json({ conversationId: conversation.id, ...result });
    });
    return undefined;
  },
});

/** `holdfast deny`: keeps a tool call from running that waits for approval. */
import { type Command, defineCommand } from "../command.js";
import { callArgument, conversationArgument, jsonArgument, reasonArgument } from "../common-arguments.js";
import { withConversation } from "../connect.js";

export const command: Command = defineCommand({
  args: { id: conversationArgument, call: callArgument, reason: reasonArgument, json: jsonArgument },
  details: "The model is told, with the reason, and goes on.",
  examples: [
    ["the call that `show` prints as 1", 'holdfast deny contract-review 1 --reason "Too expensive."'],
  ],
  run: async (context) => {
    const { args, terminal } = context;
    await withConversation(context, args.id, async (conversation) => {
      await conversation.deny(args.call, args.reason === undefined ? {} : { reason: args.reason });
      if (args.json) terminal.json({ conversation_id: args.id, call: args.call, approved: false });
      else terminal.note(`Call ${args.call} of ${args.id} is denied.`);
    });
    return undefined;
  },
});

/** `holdfast rebind`: another model takes the conversation over. */
import { type Command, defineCommand } from "../command.js";
import { conversationArgument, jsonArgument } from "../common-arguments.js";
import { withConversation } from "../connect.js";

export const command: Command = defineCommand({
  args: {
    id: conversationArgument,
    model: { type: "positional", valueHint: "MODEL", description: "the model that continues it" },
    json: jsonArgument,
  },
  details: "The history stays as it is; instructions and tools stay too.",
  examples: [["a larger model for the hard part", "holdfast rebind contract-review claude-opus-5-5"]],
  run: async (context) => {
    const { args, terminal } = context;
    await withConversation(context, args.id, async (conversation) => {
      const before = await conversation.status();
      await conversation.rebind(args.model);
      const { provider, model } = await conversation.status();
      const from = `${before.provider}:${before.model}`;
      if (args.json) terminal.json({ conversation_id: args.id, provider, model, from });
      else terminal.note(`${args.id}: ${from} → ${provider}:${model}.`);
    });
    return undefined;
  },
});

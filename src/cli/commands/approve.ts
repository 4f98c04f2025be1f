/** `holdfast approve`: lets a tool call run that waits for it. */
import { UsageError } from "../../core/errors/errors.js";
import { isJsonObject, type JsonObject } from "../../core/json.js";
import { type Command, defineCommand } from "../command.js";
import { callArgument, conversationArgument, jsonArgument, reasonArgument } from "../common-arguments.js";
import { withConversation } from "../connect.js";

export const command: Command = defineCommand({
  args: {
    id: conversationArgument,
    call: callArgument,
    reason: reasonArgument,
    arguments: {
      type: "string",
      valueHint: "JSON",
      description: "what the tool gets instead of the model's arguments; the model is told",
    },
    json: jsonArgument,
  },
  examples: [
    ["the call that `show` prints as 1", "holdfast approve contract-review 1"],
    ["with other arguments", `holdfast approve contract-review 1 --arguments '{"amount": 5}'`],
  ],
  run: async (context) => {
    const { args, terminal } = context;
    const edited = argumentsOf(args.arguments);
    await withConversation(context, args.id, async (conversation) => {
      await conversation.approve(args.call, {
        ...(args.reason === undefined ? {} : { reason: args.reason }),
        ...(edited === undefined ? {} : { arguments: edited }),
      });
      if (args.json) terminal.json({ conversation_id: args.id, call: args.call, approved: true });
      else terminal.note(`Call ${args.call} of ${args.id} is approved.`);
    });
    return undefined;
  },
});

function argumentsOf(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Said below, as for what is JSON and no object.
  }
  throw new UsageError(`--arguments is a JSON object, such as '{"amount": 5}'.`);
}

/** `holdfast resend`: the question of an interrupted turn, once more. */
import { answerTurn, beginTurn } from "../answer-turn.js";
import { limitsOption } from "../budget-option.js";
import { type Command, defineCommand } from "../command.js";
import { conversationArgument, jsonArgument, turnBudgetArgument, waitArgument } from "../common-arguments.js";
import { withConversation } from "../connect.js";
import type { Follow } from "../run-turn.js";

const args = {
  id: conversationArgument,
  files: { type: "boolean", default: true, description: "leaves out the files that the turn had" },
  budget: turnBudgetArgument,
  wait: waitArgument,
  json: jsonArgument,
} as const;

export const command: Command = defineCommand({
  args,
  examples: [
    ["after a turn that was interrupted", "holdfast resend contract-review"],
    ["under another budget of the turn", "holdfast resend contract-review --budget tokens=100000"],
  ],
  run: async (context) => {
    const { args: given, terminal } = context;
    const budget = limitsOption(given.budget);
    const options = {
      ...(budget === undefined ? {} : { budget }),
      ...(given.files ? {} : { files: [] }),
    };
    return await withConversation(context, given.id, (conversation, conversations) =>
      (given.wait ? answerTurn : beginTurn)(
        { terminal, conversations, conversation, json: given.json },
        (follow: Follow) => conversation.resend({ ...options, ...follow }),
      ),
    );
  },
});

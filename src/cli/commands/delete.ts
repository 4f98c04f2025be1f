/** `holdfast delete`: what is kept of a closed conversation, away with it. */
import type { DeletedConversation } from "../../client/delete-conversation.js";
import { UsageError } from "../../core/errors/errors.js";
import { type Command, defineCommand } from "../command.js";
import { conversationArgument, jsonArgument } from "../common-arguments.js";
import { connect } from "../connect.js";
import type { Terminal } from "../terminal.js";
import { count, hint } from "../wording.js";

export const command: Command = defineCommand({
  args: {
    id: { ...conversationArgument, completes: "closed conversation" },
    yes: { type: "boolean", description: "says that it shall be gone; without it nothing is deleted" },
    json: jsonArgument,
  },
  details:
    "Its last envelope goes, and its runs on the server. Its attachments are garbage then, which `holdfast gc --delete` takes when they are a day old; Temporal's external payloads and envelopes that were exported stay. Just after a close the server needs up to a minute.",
  examples: [
    ["kept in a file first", "holdfast export contract-review contract-review.json"],
    ["and gone", "holdfast delete contract-review --yes"],
  ],
  run: async (context) => {
    const { args, terminal } = context;
    if (!args.yes)
      throw new UsageError(
        `Nothing was deleted: what is deleted cannot be had back. \`holdfast delete ${args.id} --yes\` does it; \`holdfast export ${args.id} FILE\` keeps a copy first.`,
      );
    await using conversations = await connect(context);
    const deleted = await conversations.delete(args.id);
    if (args.json) terminal.json(deleted);
    else tell(deleted, terminal);
    return undefined;
  },
});

function tell({ conversation_id, runs, server_done }: DeletedConversation, terminal: Terminal): void {
  const onServer = runs === 0 ? "" : `, with ${count(runs, "run")} on the server`;
  terminal.note(`${conversation_id} is deleted${onServer}.`);
  if (!server_done)
    terminal.warn(
      "The server has taken the deletion and is not done with it: until then it still knows the conversation, and its id is taken.",
    );
  terminal.note(
    hint(
      "Attachments that only it had are garbage now: `holdfast gc --delete` takes them when they are a day old.",
    ),
  );
}

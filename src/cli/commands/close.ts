/** `holdfast close`: the conversation ends, its last envelope stays. */
import { type Command, defineCommand } from "../command.js";
import { conversationArgument, jsonArgument } from "../common-arguments.js";
import { withConversation } from "../connect.js";
import { count } from "../wording.js";

export const command: Command = defineCommand({
  args: { id: conversationArgument, json: jsonArgument },
  details:
    "Turns that run or wait are answered first. A closed conversation can be shown, exported and imported, not continued.",
  examples: [["when everything is said", "holdfast close contract-review"]],
  run: async (context) => {
    const { args, terminal } = context;
    await withConversation(context, args.id, async (conversation) => {
      const { state, queued, running } = await conversation.status();
      const waiting = queued.length + (running === null ? 0 : 1);
      if (waiting > 0 && state !== "closed")
        terminal.note(`${count(waiting, "turn")} will be answered first.`);
      const { envelopeKept } = state === "closed" ? { envelopeKept: true } : await conversation.close();
      if (args.json) {
        const lost = envelopeKept ? {} : { envelope_kept: false };
        terminal.json({ conversation_id: args.id, state: "closed", ...lost });
      } else terminal.note(`${args.id} is closed${state === "closed" ? " already" : ""}.`);
    });
    return undefined;
  },
});

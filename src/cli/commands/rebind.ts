/** `holdfast rebind`: another model takes the conversation over. */
import type { Conversation } from "../../client/conversation.js";
import type { PreviewOptions } from "../../client/rebind-request.js";
import { dialectOf, resolveModel } from "../../core/providers.js";
import { budgetOption } from "../budget-option.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import { conversationArgument, convertArgument, jsonArgument } from "../common-arguments.js";
import { withConversation } from "../connect.js";
import { conversionLines } from "../conversion-lines.js";
import { count } from "../wording.js";

const args = {
  id: conversationArgument,
  model: { type: "positional", valueHint: "MODEL", description: "the model that continues it" },
  convert: convertArgument,
  budget: {
    type: "string",
    valueHint: "LIMITS",
    description: "in the place of the agent's: turn.tokens=N,conversation.cost=N and so on",
  },
  preview: { type: "boolean", description: "says what would not cross, and changes nothing" },
  json: jsonArgument,
} as const;

type Context = CommandContext<typeof args>;

export const command: Command = defineCommand({
  args,
  details:
    "Instructions and tools stay. Under a model of the same provider the history stays as it is; for another one it is converted, and what did not cross is told.",
  examples: [
    ["a larger model for the hard part", "holdfast rebind contract-review claude-opus-5-5"],
    [
      "goes on after its budget was used up",
      "holdfast rebind contract-review claude-haiku-4-5 --budget conversation.tokens=500000",
    ],
    ["what would another provider not get?", "holdfast rebind contract-review gpt-6-luna --preview"],
  ],
  run: async (context) => {
    const { args: given } = context;
    resolveModel(given.model);
    budgetOption(given.budget);
    await withConversation(context, given.id, (conversation) =>
      given.preview ? preview(context, conversation) : rebind(context, conversation),
    );
    return undefined;
  },
});

/** Without `--no-convert` the settings decide. */
const optionsOf = ({ convert }: Context["args"]): PreviewOptions => (convert ? {} : { convert });

async function preview({ args: given, terminal }: Context, conversation: Conversation): Promise<void> {
  const found = await conversation.previewRebind(given.model, optionsOf(given));
  const { provider, model, dialect } = resolveModel(given.model);
  const crosses = dialect !== found.converted_from;
  if (given.json) {
    terminal.json({ conversation_id: given.id, provider, model, ...found });
    return;
  }
  const size = `${count(found.message_count, "message")}, about ${found.estimated_tokens.toLocaleString("en-US")} tokens`;
  const how = crosses ? `converted from ${found.converted_from}` : "as it is";
  terminal.print(`${provider}:${model} would get the history ${how}: ${size}.`);
  for (const line of conversionLines(found.report)) terminal.print(terminal.safe(line));
}

async function rebind({ args: given, terminal }: Context, conversation: Conversation): Promise<void> {
  const before = await conversation.status();
  const budget = budgetOption(given.budget);
  await conversation.rebind(given.model, {
    ...optionsOf(given),
    ...(budget === undefined ? {} : { budget }),
  });
  const { provider, model } = await conversation.status();
  const from = `${before.provider}:${before.model}`;
  const crossed = dialectOf(before.provider) !== dialectOf(provider);
  const conversion_report = crossed ? await conversation.conversionReport() : [];
  if (given.json) {
    const conversion = crossed ? { converted_from: dialectOf(before.provider), conversion_report } : {};
    terminal.json({ conversation_id: given.id, provider, model, from, ...conversion });
    return;
  }
  terminal.note(`${given.id}: ${from} → ${provider}:${model}.`);
  for (const line of conversionLines(conversion_report)) terminal.note(line);
}

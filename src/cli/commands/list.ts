/** `holdfast list`: which conversations there are. */
import type { ConversationSummary } from "../../client/list-conversations.js";
import { type Command, defineCommand } from "../command.js";
import { jsonArgument } from "../common-arguments.js";
import { connect } from "../connect.js";
import { table } from "../table.js";
import type { Terminal } from "../terminal.js";
import { hint, minute } from "../wording.js";

export const command: Command = defineCommand({
  args: {
    closed: { type: "boolean", description: "those that were closed, in the place of those that are open" },
    json: jsonArgument,
  },
  examples: [
    ["those that can be continued", "holdfast list"],
    ["ids only", "holdfast list --json | jq -r '.[].id'"],
  ],
  run: async (context) => {
    const { args, terminal } = context;
    await using conversations = await connect(context);
    const summaries = await conversations.list({ closed: args.closed });
    if (args.json) terminal.json(summaries);
    else if (summaries.length > 0) for (const line of rows(summaries, terminal)) terminal.print(line);
    else terminal.note(args.closed ? "No conversation was closed here." : hint(emptyHint));
    return undefined;
  },
});

const emptyHint =
  'No conversation is open: `holdfast send hello "Who are you?" --model claude-haiku-4-5` starts one.';

function rows(summaries: readonly ConversationSummary[], terminal: Terminal): readonly string[] {
  const closed = summaries.some(({ state }) => state === "closed");
  const titles = ["ID", "MODEL", ...(closed ? ["TURNS", "CLOSED"] : ["STARTED"])];
  const lines = table([
    titles,
    ...summaries.map(({ id, provider, model, run_count, created_at, closed_at }) => [
      terminal.safe(id),
      `${provider}:${model}`,
      ...(closed ? [String(run_count ?? ""), minute(closed_at ?? "")] : [minute(created_at ?? "")]),
    ]),
  ]);
  return lines.map((line, index) => (index === 0 ? terminal.style("dim", line) : line));
}

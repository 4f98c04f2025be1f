/** `holdfast list`: which conversations there are. */
import type { ConversationSummary } from "../../client/list-conversations.js";
import { UsageError } from "../../core/errors/errors.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import { jsonArgument } from "../common-arguments.js";
import { connect } from "../connect.js";
import { table } from "../table.js";
import type { Terminal } from "../terminal.js";
import { hint, minute } from "../wording.js";

/** Of so many, the newest, the command asks what they do unless it is told to ask all. */
const ASKED = 50;

const STATES = ["idle", "running", "waiting_for_approval", "closing"] as const;

const args = {
  closed: { type: "boolean", description: "those that were closed, in the place of those that are open" },
  state: {
    type: "enum",
    options: STATES,
    description: "only those that are open and in this state; asks each of them",
  },
  json: jsonArgument,
} as const;

export const command: Command = defineCommand({
  args,
  details: `Asks the newest ${ASKED} that are open what they do; of others, and of those that do not answer, the state is “open”.`,
  examples: [
    ["those that can be continued", "holdfast list"],
    ["those that wait for you", "holdfast list --state waiting_for_approval"],
    ["ids only", "holdfast list --json | jq -r '.[].id'"],
  ],
  run: list,
});

async function list(context: CommandContext<typeof args>): Promise<undefined> {
  const { args: given, terminal } = context;
  if (given.closed && given.state !== undefined)
    throw new UsageError("--state is of conversations that are open: leave --closed out.");
  await using conversations = await connect(context);
  const all = await conversations.list({
    closed: given.closed,
    activity: given.state === undefined ? ASKED : Number.POSITIVE_INFINITY,
  });
  const summaries = given.state === undefined ? all : all.filter(({ state }) => state === given.state);
  if (given.json) terminal.json(summaries);
  else if (summaries.length > 0) for (const line of rows(summaries, terminal)) terminal.print(line);
  else terminal.note(noneLine(given, all.length));
  const silent = all.filter(({ state }) => state === "open").length;
  if (given.state !== undefined && silent > 0)
    terminal.warn(
      hint(`${silent} of ${all.length} did not answer: \`holdfast doctor\` tells whether a worker runs.`),
    );
  return undefined;
}

function noneLine(
  { closed, state }: { readonly closed: boolean; readonly state: string | undefined },
  open: number,
): string {
  if (closed) return "No conversation was closed here.";
  if (state !== undefined && open > 0) return `None of the ${open} that are open is ${stateText(state)}.`;
  return hint(
    'No conversation is open: `holdfast send hello "Who are you?" --model claude-haiku-4-5` starts one.',
  );
}

function rows(summaries: readonly ConversationSummary[], terminal: Terminal): readonly string[] {
  const closed = summaries.some(({ state }) => state === "closed");
  const titles = ["ID", "MODEL", ...(closed ? ["TURNS", "CLOSED"] : ["STARTED", "STATE"])];
  const lines = table([
    titles,
    ...summaries.map(({ id, provider, model, run_count, created_at, closed_at, state }) => [
      terminal.safe(id),
      `${provider}:${model}`,
      ...(closed
        ? [String(run_count ?? ""), minute(closed_at ?? "")]
        : [minute(created_at ?? ""), stateText(state)]),
    ]),
  ]);
  return lines.map((line, index) => (index === 0 ? terminal.style("dim", line) : line));
}

const stateText = (state: string): string => state.replaceAll("_", " ");

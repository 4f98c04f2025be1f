/** `holdfast fork`: a new conversation of another one's first turns. */
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { isEnvelopePath, readEnvelopeText } from "../../client/read-envelope-text.js";
import { writeEnvelopeFile } from "../../connection/checkpoint-file.js";
import type { Envelope } from "../../core/envelope/envelope.js";
import { forkEnvelope } from "../../core/envelope/fork-envelope.js";
import { ConversationExistsError, UsageError } from "../../core/errors/errors.js";
import { type Command, type CommandContext, defineCommand } from "../command.js";
import { assertOutput, jsonArgument, outputArguments } from "../common-arguments.js";
import { connect, withConversation } from "../connect.js";
import { count } from "../wording.js";

const args = {
  source: {
    type: "positional",
    valueHint: "ID|FILE",
    description: "a conversation, or the file of an envelope",
    completes: "conversation",
  },
  at: {
    type: "string",
    valueHint: "TURN",
    description: "how many turns, or the id of the last one that stays",
  },
  id: { type: "string", valueHint: "ID", description: "the new conversation's id; by default a new one" },
  ...outputArguments("writes the envelope of the fork there and starts nothing"),
  json: jsonArgument,
} as const;

type Context = CommandContext<typeof args>;

export const command: Command = defineCommand({
  args,
  details:
    "What it is taken from goes on as it was. From a FILE with --out it needs no server. Half a tool round at the end goes away.",
  examples: [
    ["another way after the third turn", "holdfast fork contract-review --at 3 --id second-thought"],
    ["a file without its last turns", "holdfast fork contract-review.json --at 3 --out shorter.json"],
  ],
  run: fork,
});

async function fork(context: Context): Promise<undefined> {
  const { at, out } = context.args;
  if (at === undefined) throw new UsageError("--at is missing: say how many turns stay, or a turn's id.");
  assertOutput(context.args);
  const turn = /^\d+$/.test(at) ? Number(at) : at;
  const id = context.args.id ?? `fork-${randomUUID().slice(0, 8)}`;
  const forked = out === undefined ? await start(context, turn, id) : await write(context, turn, { id, out });
  tell(context, id, forked);
  return undefined;
}

type Told = Pick<Envelope, "metadata" | "copied_from">;

async function start(
  { args: { source }, ...surroundings }: Context,
  at: number | string,
  id: string,
): Promise<Told> {
  const { cwd } = surroundings;
  if (isEnvelopePath(source, cwd)) forkEnvelope((await readEnvelopeText(source, cwd)).envelope, at);
  await using conversations = await connect(surroundings);
  const forked = await conversations.fork(source, { at, id }).catch((error: unknown) => {
    throw error instanceof ConversationExistsError ? taken(id, error) : error;
  });
  return await forked.inspect();
}

async function write(
  context: Context,
  at: number | string,
  { id, out }: { readonly id: string; readonly out: string },
): Promise<Told> {
  const { args: given, cwd } = context;
  const envelope = isEnvelopePath(given.source, cwd)
    ? (await readEnvelopeText(given.source, cwd)).envelope
    : await withConversation(context, given.source, (conversation) => conversation.toEnvelope());
  const saved_at = new Date().toISOString();
  const forked = { ...forkEnvelope(envelope, at), conversation_id: id, saved_at };
  await writeEnvelopeFile(resolve(cwd, out), forked, { overwrite: given.overwrite });
  return forked;
}

function tell(
  { args: { json, out, source }, terminal }: Context,
  id: string,
  { metadata, copied_from }: Told,
): void {
  const { run_count } = metadata;
  const file = out === undefined ? {} : { file: out };
  if (json) terminal.json({ conversation_id: id, run_count, copied_from: copied_from ?? null, ...file });
  else
    terminal.note(
      `${id} has the first ${count(run_count, "turn")} of ${source}${out === undefined ? "" : `, in ${out}`}.`,
    );
}

function taken(id: string, cause: unknown): ConversationExistsError {
  return new ConversationExistsError(
    `Conversation ${id} is there already: continue it with \`holdfast send ${id} …\`, or choose another --id.`,
    { cause },
  );
}

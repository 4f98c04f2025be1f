/** `holdfast cancel`: stops a turn, and says how it ended. */
import type { Conversation } from "../../client/conversation.js";
import { OVER, pause } from "../../connection/pause.js";
import type { TurnState } from "../../core/conversation/messages.js";
import { NoWorkerError, TurnInterruptedError, UsageError } from "../../core/errors/errors.js";
import { type Command, defineCommand } from "../command.js";
import { conversationArgument, jsonArgument } from "../common-arguments.js";
import { withConversation } from "../connect.js";

export const command: Command = defineCommand({
  args: {
    id: conversationArgument,
    turn: {
      type: "positional",
      required: false,
      valueHint: "TURN",
      description: "a turn's id; by default the turn that runs",
    },
    reason: { type: "string", valueHint: "TEXT", description: "is kept in the turn's record" },
    json: jsonArgument,
  },
  examples: [["the turn that runs", "holdfast cancel contract-review"]],
  run: async (context) => {
    const { args, terminal } = context;
    await withConversation(context, args.id, async (conversation) => {
      const { turnId, state, said } = await stopped(conversation, args.turn, args.reason);
      if (args.json) terminal.json({ conversation_id: args.id, turn_id: turnId, state });
      else terminal.note(said);
    });
    return undefined;
  },
});

interface Stopped {
  readonly turnId: string | null;
  /** Null where no turn runs, or where no worker has said what became of it. */
  readonly state: TurnState | null;
  readonly said: string;
}

/** A conversation that has not said by then where its turn stands is told to stop it all the same: the next worker calls nobody. */
const PATIENCE_MS = 1_500;
/** A worker that lives has stopped a turn by then; of one that was killed the server would know in half a minute. */
const STOP_MS = 5_000;

async function stopped(
  conversation: Conversation,
  named: string | undefined,
  reason: string | undefined,
): Promise<Stopped> {
  const { id } = conversation;
  const turnId = named ?? (await soon(conversation.status().then(({ running }) => running)));
  if (turnId === null) {
    const said = `Conversation ${id} has no turn running: there is nothing to cancel.`;
    return { turnId, state: null, said };
  }
  if (turnId !== undefined) return stoppedTurn(conversation, turnId, reason);
  await conversation.cancel(undefined, reason);
  return { turnId: null, state: null, said: waiting(`the turn of ${id} that runs`) };
}

/** A turn that has ended needs no stop, whether that was before this command or in the middle of it. @throws UsageError for an unknown one. */
async function stoppedTurn(
  conversation: Conversation,
  turnId: string,
  reason: string | undefined,
): Promise<Stopped> {
  const { id } = conversation;
  const turn = conversation.turn(turnId);
  const state = await soon(turn.view().then((view) => view.state));
  if (state === "unknown")
    throw new UsageError(
      `Conversation ${id} has no turn ${turnId}: \`holdfast show ${id}\` lists its turns.`,
    );
  if (state !== undefined && state !== "running" && state !== "queued") {
    const said = `Turn ${turnId} of ${id} has ended already (${state}): there is nothing to cancel.`;
    return { turnId, state, said };
  }
  await conversation.cancel(turnId, reason);
  const given = state === undefined ? AbortSignal.timeout(STOP_MS) : undefined;
  try {
    await turn.result(given === undefined ? {} : { signal: given });
    return { turnId, state: "committed", said: `Turn ${turnId} had been answered already.` };
  } catch (error) {
    if (error instanceof TurnInterruptedError)
      return { turnId, state: "interrupted", said: `Turn ${turnId} is stopped.` };
    if (error instanceof NoWorkerError || given?.aborted === true)
      return { turnId, state: null, said: waiting(`turn ${turnId} of ${id}`) };
    throw error;
  }
}

/** The answer, or undefined where it is late or nobody is there to give it. */
async function soon<T>(asked: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const answer = asked.catch((error: unknown) => {
    if (error instanceof NoWorkerError) return undefined;
    throw error;
  });
  try {
    return await Promise.race([answer, pause(PATIENCE_MS, over.signal).then(() => undefined)]);
  } finally {
    over.abort(OVER);
    answer.catch(() => undefined);
  }
}

function waiting(turn: string): string {
  return `The server keeps the stop of ${turn}, but no worker has answered yet: it holds once one does (\`holdfast worker\`).`;
}

/** A turn that a command begins: followed to its answer, until Ctrl-C lets go of it; or only begun. */
import type { Conversation } from "../client/conversation.js";
import type { Conversations } from "../client/conversations.js";
import type { RunResult } from "../client/run-result.js";
import type { Turn } from "../client/turn.js";
import { type Follow, runTurn } from "./run-turn.js";
import { watchServer } from "./server-watch.js";
import { stopSignals } from "./stop-signals.js";
import type { Terminal } from "./terminal.js";
import { TurnDisplay } from "./turn-display.js";
import { hint } from "./wording.js";

interface Asked {
  readonly terminal: Terminal;
  /** On whose connection the conversation is. */
  readonly conversations: Conversations;
  readonly conversation: Conversation;
  readonly json: boolean;
}

type Begin = (follow: Follow) => Promise<RunResult>;

/** Exit code 130 when Ctrl-C ends the waiting; the turn goes on. */
export async function answerTurn(
  { terminal, conversations, conversation, json }: Asked,
  begin: Begin,
): Promise<number | undefined> {
  using signals = stopSignals();
  const display = new TurnDisplay(terminal, { silent: json, conversation: conversation.id });
  using _watch = watchServer(conversations, (line) => display.remark(line));
  const stop = new AbortController();
  void signals.stopped.then(() => stop.abort());
  try {
    const result = await runTurn(begin, display, { signal: stop.signal });
    if (json) terminal.json({ conversationId: conversation.id, ...result });
    return undefined;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    terminal.note(
      hint(
        `The turn goes on without you: \`holdfast show ${conversation.id}\` shows its answer, \`holdfast cancel ${conversation.id}\` stops it.`,
      ),
    );
    return 130;
  }
}

/** Resolves once the turn is accepted, having told its id. */
export async function beginTurn(asked: Asked, begin: Begin): Promise<undefined> {
  const stop = new AbortController();
  let accepted: Turn | undefined;
  const onAccepted = (turn: Turn): void => {
    accepted = turn;
    stop.abort();
  };
  await begin({ onAccepted, signal: stop.signal }).catch((error: unknown) => {
    if (accepted === undefined) throw error;
  });
  if (accepted !== undefined) tellTurn(asked, accepted.turnId);
}

export function tellTurn(
  { terminal, conversation, json }: Omit<Asked, "conversations">,
  turnId: string,
): void {
  if (json) terminal.json({ conversationId: conversation.id, turnId });
  else terminal.print(turnId);
}

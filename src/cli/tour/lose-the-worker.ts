/** The step in which a worker is killed in the middle of an answer, and the other one finishes the turn. */
import type { Conversation } from "../../client/conversation.js";
import type { RunResult } from "../../client/run-result.js";
import type { Turn } from "../../client/turn.js";
import type { Frame } from "../../core/conversation/frame.js";
import { CONVERSATION, type Scene, seconds } from "./scene.js";
import { AnswerView } from "./show-answer.js";
import { TourError } from "./tour-error.js";

const QUESTION = "Who bears the risk in clause 5?";
/** So many pieces of the answer are seen before the worker dies; a real model may send few and large ones. */
const PIECES_BEFORE = { simulated: 8, live: 2 } as const;

interface Loss {
  readonly at: number;
  /** The attempt that died. */
  readonly attempt: number;
}
interface Recovery {
  readonly result: RunResult;
  /** Milliseconds from the SIGKILL. */
  readonly firstTokenMs: number;
  readonly committedMs: number;
}

export async function loseTheWorker(scene: Scene, session: Conversation): Promise<void> {
  const { screen, stack } = scene;
  screen.line("question", QUESTION);
  const turn = await session.submit(QUESTION);
  const { result, firstTokenMs, committedMs } = await watch(scene, turn);
  const copies = await copiesOf(session, turn.turnId);
  if (copies !== 1) throw new TourError(`The turn stands ${copies} times in the history, not once.`);
  const seen = stack.simulator?.calls.filter(({ lastUserText }) => lastUserText === QUESTION).length;
  screen.line(
    "recovered",
    `first token ${seconds(firstTokenMs)} after the SIGKILL, committed after ${seconds(committedMs)}`,
    "green",
  );
  screen.line(
    "counted",
    `attempt ${result.attempt} won; copies in the history: ${copies}; calls of the provider: ${seen ?? result.providerCalls}`,
  );
}

async function watch(scene: Scene, turn: Turn): Promise<Recovery> {
  const view = new AnswerView(scene.screen);
  let pieces = 0;
  let loss: Loss | undefined;
  let firstToken: number | undefined;
  for await (const frame of turn.stream({ signal: scene.signal })) {
    // What the dead worker had sent before its end is not shown after it.
    if (frame.attempt === loss?.attempt) continue;
    view.show(frame);
    if (frame.type !== "text") continue;
    if (loss !== undefined) firstToken ??= performance.now();
    else if (++pieces === piecesBefore(scene)) {
      view.break("…");
      loss = await killWorker(scene, frame);
    }
  }
  view.break();
  const result = await turn.result({ signal: scene.signal });
  if (loss === undefined || firstToken === undefined)
    throw new TourError("The answer was complete before its worker could be killed: run the tour again.");
  return { result, firstTokenMs: firstToken - loss.at, committedMs: performance.now() - loss.at };
}

function piecesBefore({ stack }: Scene): number {
  return stack.simulator === null ? PIECES_BEFORE.live : PIECES_BEFORE.simulated;
}

/** Temporal knows who runs the turn: the worker's identity stands at the pending activity. */
async function killWorker({ conversations, workers, screen }: Scene, { attempt }: Frame): Promise<Loss> {
  const { raw } = await conversations.temporal.workflow.getHandle(CONVERSATION).describe();
  const identities = raw.pendingActivities?.map(({ lastWorkerIdentity }) => lastWorkerIdentity);
  const worker = workers.find(({ pid }) => identities?.includes(`holdfast-${pid}`));
  if (worker === undefined) throw new TourError("Temporal names no worker for the running turn.");
  await worker.kill();
  const at = performance.now();
  const other = workers.find((candidate) => candidate !== worker);
  screen.line(
    "SIGKILL",
    `worker ${worker.pid}, in the middle of its answer; worker ${other?.pid} is left, ` +
      "sees in their journal that the call has lost its owner, and makes it again",
    "red",
  );
  return { at, attempt };
}

/** How often the turn stands in the envelope: its entries in the index, and its question among the messages. */
async function copiesOf(session: Conversation, turnId: string): Promise<number> {
  const { turn_index, messages } = await session.toEnvelope();
  const entries = turn_index.filter(({ turn_id, state }) => turn_id === turnId && state === "committed");
  const questions = messages.filter(
    (message) => message.role === "user" && JSON.stringify(message).includes(QUESTION),
  );
  return Math.max(entries.length, questions.length);
}

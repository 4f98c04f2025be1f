/** The tour: the life of one conversation that loses its worker, its process and its model, told step by step. */

import { basename } from "node:path";
import type { Conversation } from "../../client/conversation.js";
import { Cleanup } from "../../connection/cleanup.js";
import { Agent } from "../../core/agent.js";
import { stopSignals } from "../stop-signals.js";
import { checkpointLine } from "./checkpoint-line.js";
import { commandStart } from "./command-start.js";
import { loseTheWorker } from "./lose-the-worker.js";
import { bytes, CONVERSATION, INSTRUCTIONS, MODEL, NEXT_MODEL, type Scene, seconds } from "./scene.js";
import { Screen } from "./screen.js";
import { AnswerView } from "./show-answer.js";
import { tourEnvironment } from "./tour-environment.js";
import { type ContinuationOrder, stackAddress } from "./tour-message.js";
import { TourProcess } from "./tour-process.js";
import { startTourStack } from "./tour-stack.js";
import { untilStopped } from "./until-stopped.js";

export interface TourOptions {
  /** Ask the real services instead of the simulator. */
  readonly live: boolean;
  /** Leave the server running at the end, until Ctrl-C. */
  readonly keep: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

const LIMIT_MS = 120_000;

/** @throws HoldfastError with one clear line; whatever was started has ended then. */
export async function runTour({ live, keep, env: outer, cwd }: TourOptions): Promise<void> {
  const began = commandStart();
  const screen = new Screen();
  const { env, file } = tourEnvironment(outer, { live, cwd });
  screen.title(
    "Holdfast",
    live ? "The real service answers." : "Simulated: no model is asked, no key is used.",
  );
  if (file !== null) screen.line("settings", `also from ${file}`);
  const begin = async (parts: Cleanup, signal: AbortSignal): Promise<Scene> => {
    const onProgress = (line: string): void => screen.line("setup", line);
    return { ...(await startTourStack(parts, { env, live, onProgress })), screen, began, signal };
  };
  const checkpoint = await play(screen, begin, keep).catch((error: unknown): never => {
    // What still waits for a server that is gone would keep the process alive; the exit code is set before this comes.
    setImmediate(() => process.exit());
    throw error;
  });
  screen.closing(
    `Done after ${seconds(now() - began)}. Everything has been stopped; the checkpoint stays. Look at it:`,
    `  npx holdfast inspect ${checkpoint}`,
  );
}

/** The story from start to end, and the end of everything that it started. Resolves to the path of the checkpoint. */
async function play(
  screen: Screen,
  begin: (parts: Cleanup, signal: AbortSignal) => Promise<Scene>,
  keep: boolean,
): Promise<string> {
  using stop = stopSignals();
  await using parts = new Cleanup();
  const scene = await untilStopped(stop.stopped, LIMIT_MS, async (signal) => {
    const begun = await begin(parts, signal);
    await tell(begun);
    return begun;
  });
  if (keep) {
    screen.closing(`The server and a worker run on until Ctrl-C: ${scene.stack.server.uiUrl}`);
    await stop.stopped;
  }
  await scene.conversations.close();
  return scene.checkpoint;
}

async function tell(scene: Scene): Promise<void> {
  const { screen, stack, workers, checkpoint } = scene;
  screen.step(1, "A Temporal server and two workers");
  screen.line("folder", scene.folder);
  screen.line("server", `Temporal ${stack.server.version} at ${stack.server.address}`);
  screen.line("web page", stack.server.uiUrl ?? "none");
  screen.line("workers", `processes ${workers.map(({ pid }) => pid).join(" and ")}`);

  screen.step(2, `A question about an attached PDF, under ${MODEL}`);
  const session = await askAboutContract(scene);
  screen.line("checkpoint", await checkpointLine(checkpoint));

  screen.step(3, "The worker that runs the next turn is killed");
  await scene.bothWork;
  await loseTheWorker(scene, session);
  screen.line("checkpoint", await checkpointLine(checkpoint));

  screen.step(4, `A new process goes on from the file, under ${NEXT_MODEL}`);
  await session.close();
  await continueElsewhere(scene);
  screen.line("checkpoint", await checkpointLine(checkpoint));

  screen.step(5, "What a save of the conversation holds");
  await report(scene);
}

async function askAboutContract(scene: Scene): Promise<Conversation> {
  const { conversations, screen, contract, checkpoint, began } = scene;
  const agent = new Agent({ model: MODEL, instructions: INSTRUCTIONS });
  const session = await conversations.start(agent, { id: CONVERSATION, checkpoint: { path: checkpoint } });
  const question = "Summarise clause 4.";
  screen.line("question", `${question} (with ${basename(contract)})`);
  const turn = await session.submit(question, { files: [contract] });
  const view = new AnswerView(screen);
  let firstToken: number | undefined;
  for await (const frame of turn.stream({ signal: scene.signal })) {
    view.show(frame);
    if (frame.type === "text") firstToken ??= now();
  }
  view.break();
  await turn.result({ signal: scene.signal });
  const waited =
    firstToken === undefined
      ? ""
      : `; ${seconds(firstToken - began)} from the start of the command to the first token`;
  screen.line("committed", `turn 1${waited}`, "green");
  return session;
}

/** The new process knows the file and the server, nothing else. */
async function continueElsewhere({ stack, checkpoint }: Scene): Promise<void> {
  await using continuation = new TourProcess<ContinuationOrder>("continuation-process", "new process");
  await continuation.order({
    stack: stackAddress(stack.settings),
    checkpoint,
    model: NEXT_MODEL,
    instructions: INSTRUCTIONS,
    question: "List the parties.",
  });
  await continuation.end();
}

async function report({ conversations, screen }: Scene): Promise<void> {
  const session = await conversations.open(CONVERSATION);
  const { size_bytes, message_count, media } = await session.persistenceReport();
  screen.line("size", `${bytes(size_bytes)} in ${message_count} messages`);
  for (const part of media)
    screen.line(
      "media",
      `${part.kind} ${part.mime_type}, ${bytes(part.size_bytes)}, inline in message ${part.message_index}`,
    );
  const { served_models } = await session.metadata();
  screen.line("models", served_models.map(({ event, model }) => `${event} ${model}`).join(", "));
}

/** In the clock of `commandStart`. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

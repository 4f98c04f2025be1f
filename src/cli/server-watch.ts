/** Says that the server is away to whoever waits for a turn: the waiting itself is silent, and goes on for a while. */
import type { Conversations } from "../client/conversations.js";
import { serverAnswers } from "../client/server-answers.js";
import { OVER, pause } from "../connection/pause.js";

const EVERY_MS = 3_000;

/** Until disposed, or told once: the server is asked every three seconds, so that a turn which is answered by then costs nothing. */
export function watchServer(
  { temporal, settings: { connection } }: Pick<Conversations, "temporal" | "settings">,
  tell: (line: string) => void,
): Disposable {
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    do await pause(EVERY_MS, over.signal);
    while (!over.signal.aborted && (await serverAnswers(temporal)));
    if (!over.signal.aborted)
      tell(`The Temporal server at ${connection.address} does not answer: waiting for it.`);
  };
  void watch();
  return { [Symbol.dispose]: () => over.abort(OVER) };
}

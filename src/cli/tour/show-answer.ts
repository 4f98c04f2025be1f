/** A turn as it is seen while it runs: each attempt's text in a paragraph of its own. */
import type { RunResult } from "../../client/run-result.js";
import type { Turn } from "../../client/turn.js";
import type { Frame } from "../../core/conversation/frame.js";
import type { Paragraph, Screen } from "./screen.js";

export class AnswerView {
  readonly #screen: Screen;
  #paragraph: Paragraph | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  show(frame: Frame): void {
    if (frame.type === "attempt") this.break();
    if (frame.type !== "text") return;
    this.#paragraph ??= this.#screen.stream("answer", "cyan");
    this.#paragraph.write(frame.text);
  }

  /** Ends the paragraph, so that another line can follow. */
  break(mark = ""): void {
    this.#paragraph?.end(mark);
    this.#paragraph = undefined;
  }
}

export async function showAnswer(screen: Screen, turn: Turn): Promise<RunResult> {
  const view = new AnswerView(screen);
  for await (const frame of turn.stream()) view.show(frame);
  view.break();
  return turn.result();
}

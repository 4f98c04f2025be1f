/** The frames of one attempt at a turn: numbered, and remembered as far as an interrupted record needs them. */

import type { Frame, FrameSink } from "../core/conversation/frame.js";
import { scrubSecrets } from "../core/errors/clean-text.js";

/** Where the end frame stands that is sent by another activity than the attempt's own: after all of the attempt's frames. */
export const AFTER_ATTEMPT = 1_000_000_000;

/** How much of a partial answer an interrupted record keeps, in characters: at most 3,000 bytes of the failure's 4 KiB. */
const PARTIAL_CHARACTERS = 1_000;

/** Six bytes each as JSON, and nothing that a reader of the record would see. */
const CONTROL_CHARACTERS = /[^\P{Cc}\n\t]/gu;

type FrameBody = Frame extends infer F
  ? F extends Frame
    ? Omit<F, "turn" | "attempt" | "seq">
    : never
  : never;

export interface TurnPosition {
  readonly conversation: string;
  readonly turn: string;
  readonly attempt: number;
}

export class TurnFrames {
  readonly #sink: FrameSink;
  readonly #conversation: string;
  readonly #turn: string;
  readonly #attempt: number;
  #seq: number;
  #partial = "";

  constructor(sink: FrameSink, position: TurnPosition, firstSeq = 0) {
    this.#seq = firstSeq;
    this.#sink = sink;
    this.#conversation = position.conversation;
    this.#turn = position.turn;
    this.#attempt = position.attempt;
  }

  push(body: FrameBody): void {
    if (body.type === "text" && this.#partial.length < PARTIAL_CHARACTERS) this.#partial += body.text;
    const frame = { turn: this.#turn, attempt: this.#attempt, seq: this.#seq++, ...body } as Frame;
    this.#sink.push(this.#conversation, frame);
  }

  /** The beginning of the text that had been streamed, never cut within a character. */
  get partialText(): string {
    const clean = scrubSecrets(this.#partial).replace(CONTROL_CHARACTERS, "");
    return clean
      .slice(0, PARTIAL_CHARACTERS)
      .replace(/[\ud800-\udbff]$/, "")
      .toWellFormed();
  }
}

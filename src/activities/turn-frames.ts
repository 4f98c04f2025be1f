/** The frames of one attempt at a turn: numbered, and remembered as far as an interrupted record needs them. */
import type { Frame, FrameSink } from "../core/conversation/frame.js";

/** Where the end frame stands that is sent by another activity than the attempt's own: after all of the attempt's frames. */
export const AFTER_ATTEMPT = 1_000_000_000;

/** How much of a partial answer an interrupted record keeps, in characters. */
const PARTIAL_CHARACTERS = 1_000;

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

  /** The beginning of the text that had been streamed. */
  get partialText(): string {
    return this.#partial.slice(0, PARTIAL_CHARACTERS).toWellFormed();
  }
}

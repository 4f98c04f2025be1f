/** What a follower has seen of a conversation, across lost servers, and how it shows what comes. */
import type { Conversation } from "../client/conversation.js";
import type { Turn } from "../client/turn.js";
import type { Frame } from "../core/conversation/frame.js";
import { TurnInterruptedError, UsageError } from "../core/errors/errors.js";
import { oneLine } from "./report-error.js";
import type { Terminal } from "./terminal.js";
import { TurnDisplay } from "./turn-display.js";
import { hint, shorten } from "./wording.js";

export interface TailOptions {
  readonly terminal: Terminal;
  /** A line of JSON a frame. */
  readonly json: boolean;
  /** Only this turn. */
  readonly turn: string | undefined;
  readonly signal: AbortSignal;
}

interface OpenTurn {
  readonly turnId: string;
  readonly display: TurnDisplay;
  last: Frame | undefined;
}

export class TailSession {
  readonly #options: TailOptions;
  /** The turn that was being shown when the server was lost. */
  #open: OpenTurn | undefined;
  #begun = false;
  #lost = false;

  constructor(options: TailOptions) {
    this.#options = options;
  }

  get hasBegun(): boolean {
    return this.#begun;
  }

  /** The server or its worker is gone; said once, until something comes again. */
  lost(): void {
    if (this.#lost) return;
    this.#lost = true;
    const line = "Nobody answers; the server and its worker are tried again until Ctrl-C.";
    // Below the text that stands there without an end.
    if (this.#open === undefined) this.#note(line);
    else this.#open.display.remark(line);
  }

  /** Until the conversation is closed, the one turn has ended, or the stop. */
  async follow(conversation: Conversation): Promise<void> {
    const { turn, signal } = this.#options;
    if (turn !== undefined) {
      this.#begun = true;
      return this.#one(conversation.turn(turn));
    }
    await conversation.status();
    if (!this.#begun) this.#note(hint(`Following ${conversation.id}; Ctrl-C stops.`));
    this.#begun = true;
    if (this.#open !== undefined) await this.#shown(conversation.turn(this.#open.turnId));
    for await (const next of conversation.turns({ signal })) await this.#shown(next);
    if (!signal.aborted) this.#note(`${conversation.id} is closed.`);
  }

  async #one(turn: Turn): Promise<void> {
    if ((await turn.view()).state === "unknown")
      throw new UsageError(
        `Conversation ${turn.conversationId} has no turn ${turn.turnId}: \`holdfast show ${turn.conversationId}\` lists its turns.`,
      );
    const end = await this.#show(turn);
    if (end?.state === "interrupted") await turn.result({ signal: this.#options.signal });
  }

  /** A turn that was interrupted is news, not a failure of the following. */
  async #shown(turn: Turn): Promise<void> {
    const end = await this.#show(turn);
    if (end?.state !== "interrupted" || this.#options.json) return;
    try {
      await turn.result({ signal: this.#options.signal });
    } catch (error) {
      if (!(error instanceof TurnInterruptedError)) throw error;
      this.#note(`interrupted (${error.record.error_type}): ${shorten(oneLine(error.record.error), 200)}`);
    }
  }

  async #show(turn: Turn): Promise<Extract<Frame, { type: "end" }> | undefined> {
    const { terminal, json, signal } = this.#options;
    const open = this.#openFor(turn);
    const { last } = open;
    for await (const frame of turn.stream({ signal, ...(last === undefined ? {} : { from: last }) })) {
      this.#lost = false;
      open.last = frame;
      if (json) terminal.print(JSON.stringify(frame));
      else open.display.take(frame);
      if (frame.type !== "end") continue;
      this.#open = undefined;
      if (json) return frame;
      if (frame.state === "committed") open.display.finish(await turn.result({ signal }));
      else open.display.abandon();
      return frame;
    }
    return undefined;
  }

  #openFor({ turnId, conversationId }: Turn): OpenTurn {
    if (this.#open?.turnId === turnId) return this.#open;
    const display = new TurnDisplay(this.#options.terminal, { conversation: conversationId });
    this.#open = { turnId, display, last: undefined };
    if (!this.#options.json) this.#note(`turn ${turnId}`);
    return this.#open;
  }

  #note(line: string): void {
    const { terminal } = this.#options;
    terminal.note(terminal.styleNote("dim", line));
  }
}

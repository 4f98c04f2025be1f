/** One of several who talk to a conversation: sends everything twice, stops turns, reads some, and keeps account of it. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { WorkflowHandle } from "@temporalio/client";
import type { Conversation } from "../../src/client/conversation.js";
import {
  ConversationNotFoundError,
  HoldfastError,
  RebindRefusedError,
  TurnInterruptedError,
  TurnRefusedError,
} from "../../src/core/errors/errors.js";
import * as m from "../../src/workflows/messages.js";
import type { Reading, SentMessage } from "./observation.js";
import { isAbsence, persist } from "./persist.js";
import type { NonsenseStep, RebindStep, Step, TurnStep } from "./schedule.js";

export interface Account {
  readonly messages: SentMessage[];
  readonly readings: Reading[];
  readonly surprises: string[];
}

export class Caller {
  readonly #session: Conversation;
  readonly #handle: WorkflowHandle;
  readonly #account: Account;
  readonly #beside: Promise<unknown>[] = [];

  constructor(session: Conversation, handle: WorkflowHandle, account: Account) {
    this.#session = session;
    this.#handle = handle;
    this.#account = account;
  }

  async perform(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await delay(step.pauseMs);
      await this.#step(step).catch((error: unknown) => this.#surprised(step.type, error));
    }
    await Promise.all(this.#beside);
  }

  #step(step: Step): Promise<void> {
    if (step.type === "turn") return this.#turn(step);
    return step.type === "rebind" ? this.#rebind(step) : this.#nonsense(step);
  }

  async #turn(step: TurnStep): Promise<void> {
    const { turnId } = step;
    const message = {
      conversation: this.#session.id,
      turnId,
      tag: step.tag,
      faults: step.faults.length,
    };
    // Both at once: which of them comes first is the server's business.
    const [first, second] = await Promise.all([this.#send(step, step.via), this.#send(step, step.twice)]);
    const refusal = first ?? second;
    const accepted = first === undefined || second === undefined;
    const sent: SentMessage = { ...message, accepted, ...(accepted ? {} : { refusal: refusal ?? "" }) };
    this.#account.messages.push(sent);
    if (!accepted) return;
    if (step.reader !== "none") this.#aside("read", this.#read(step));
    if (step.cancelAfterMs !== undefined) this.#aside("cancel", this.#cancel(step, step.cancelAfterMs));
    if (step.waits) await this.#ended(turnId);
  }

  /** Undefined where it was taken. */
  async #send({ turnId, text, onBusy }: TurnStep, via: "update" | "signal"): Promise<string | undefined> {
    const submission = {
      turn_id: turnId,
      message: text,
      ...(onBusy === undefined ? {} : { on_busy: onBusy }),
    };
    try {
      await persist(async () => {
        if (via === "signal") await this.#handle.signal(m.submitTurnSignal, submission);
        else await this.#session.submit(text, { turnId, ...(onBusy === undefined ? {} : { onBusy }) });
      });
      return undefined;
    } catch (error) {
      if (error instanceof TurnRefusedError) return error.code;
      throw error;
    }
  }

  async #ended(turnId: string): Promise<void> {
    await persist(() => this.#session.turn(turnId).result()).catch((error: unknown) => {
      if (!(error instanceof TurnInterruptedError || error instanceof TurnRefusedError)) throw error;
    });
  }

  async #cancel({ turnId }: TurnStep, afterMs: number): Promise<void> {
    await delay(afterMs);
    for (let time = 0; time < 2; time++) await persist(() => this.#session.cancel(turnId, "Enough."));
    const { messages } = this.#account;
    const index = messages.findIndex((sent) => sent.turnId === turnId);
    const sent = messages[index];
    if (sent !== undefined) messages[index] = { ...sent, cancelledAt: Date.now() };
  }

  async #read({ turnId, reader }: TurnStep): Promise<void> {
    await persist(async () => {
      let frames = 0;
      let state: string | undefined;
      try {
        for await (const frame of this.#session.turn(turnId).stream()) {
          if (reader === "leaves" && ++frames > 4) return;
          if (frame.type === "end") state = frame.state;
        }
      } catch (error) {
        if (!(error instanceof TurnRefusedError)) throw error;
        state = "refused";
      }
      this.#account.readings.push({ turnId, state });
    });
  }

  async #rebind({ model, via }: RebindStep): Promise<void> {
    for (let time = 0; time < 2; time++) {
      try {
        await persist(() => this.#session.rebind(model, { wait: via === "update" }));
      } catch (error) {
        if (!(error instanceof RebindRefusedError)) throw error;
      }
    }
  }

  async #nonsense({ signal, value }: NonsenseStep): Promise<void> {
    for (let time = 0; time < 2; time++) await persist(() => this.#handle.signal(signal, value));
    if (signal !== "submit_turn") return;
    const updateId = randomUUID();
    const refused = await persist(() =>
      this.#handle.executeUpdate("submit_turn", { args: [value], updateId }).then(
        () => false,
        (error: unknown) => {
          if (isAbsence(error)) throw error;
          return true;
        },
      ),
    );
    if (!refused) this.#account.surprises.push(`the update ${JSON.stringify(value)} was accepted`);
  }

  #aside(what: string, work: Promise<void>): void {
    this.#beside.push(work.catch((error: unknown) => this.#surprised(what, error)));
  }

  #surprised(what: string, error: unknown): void {
    const known = error instanceof HoldfastError && !(error instanceof ConversationNotFoundError);
    const text =
      error instanceof Error
        ? `${error.name}: ${error.message}; ${String(error.cause ?? "")}`
        : String(error);
    this.#account.surprises.push(
      `${what}${known ? " (of the contract, but not here)" : ""}: ${text.slice(0, 600)}`,
    );
  }
}

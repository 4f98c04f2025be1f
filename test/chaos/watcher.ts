/** Looks at a conversation while it runs: its export and its checkpoint file, each whole and never behind what was there. */
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Conversation } from "../../src/client/conversation.js";
import type { Envelope } from "../../src/core/envelope/envelope.js";
import { parseEnvelope } from "../../src/core/envelope/parse-envelope.js";
import { isAbsence } from "./persist.js";

const EXPORT_MS = 600;
const FILE_MS = 40;

export class Watcher {
  readonly faults: string[] = [];
  exports = 0;
  checkpoints = 0;
  readonly #session: Conversation;
  readonly #file: string | undefined;
  readonly #stop = new AbortController();
  readonly #watching: Promise<unknown>;

  constructor(session: Conversation, file: string | undefined) {
    this.#session = session;
    this.#file = file;
    this.#watching = Promise.all([this.#watchExports(), this.#watchFile()]);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#watching;
  }

  async #watchExports(): Promise<void> {
    let before: Envelope | undefined;
    await this.#every(EXPORT_MS, async () => {
      const text = await this.#session.toJson().catch((error: unknown) => {
        if (!isAbsence(error)) this.#fault("export", error);
        return undefined;
      });
      if (text === undefined) return;
      before = this.#look("export", text, before);
      this.exports++;
    });
  }

  async #watchFile(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    let before: Envelope | undefined;
    let last = "";
    await this.#every(FILE_MS, async () => {
      const text = await readFile(file, "utf8").catch(() => undefined);
      if (text === undefined && before !== undefined)
        this.#fault("checkpoint", new Error("the file is gone"));
      if (text === undefined || text === last) return;
      last = text;
      before = this.#look("checkpoint", text, before);
      this.checkpoints++;
    });
  }

  #look(what: string, text: string, before: Envelope | undefined): Envelope | undefined {
    try {
      const { envelope } = parseEnvelope(text);
      const issue = before && lossOf(before, envelope);
      if (issue !== undefined) this.#fault(what, new Error(issue));
      return envelope;
    } catch (error) {
      this.#fault(what, error);
      return before;
    }
  }

  async #every(ms: number, work: () => Promise<void>): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await work();
      await delay(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  #fault(what: string, error: unknown): void {
    if (this.faults.length < 20) this.faults.push(`${what}: ${String(error).slice(0, 400)}`);
  }
}

/** What an envelope no longer has that an earlier one had. */
export function lossOf(before: Envelope, now: Envelope): string | undefined {
  const [had, has] = [before.metadata.run_count, now.metadata.run_count];
  if (has < had) return `run_count fell from ${had} to ${has}`;
  const turns = new Map(now.turn_index.map((entry) => [entry.turn_id, entry.state]));
  const lost = before.turn_index.find(({ turn_id, state }) => turns.get(turn_id) !== state);
  if (lost === undefined) return undefined;
  return `turn ${lost.turn_id} was ${lost.state} and is ${turns.get(lost.turn_id) ?? "gone"}`;
}

/** One call in the journal, from its start until the server has acknowledged its end. */
import { createHash } from "node:crypto";
import type { CallModelResult } from "../../core/conversation/activity-contract.js";
import type { Progress } from "../progress.js";
import { type JournalRecord, recordText } from "./journal-record.js";
import type { SealedPayload } from "./sealed-payload.js";

/** A reply up to so many characters is written in a third of a millisecond; on the way through other threads it would wait for three. */
const AT_ONCE = 64 * 1024;

/** Where a call is written, each time behind what is there of it. Nothing here throws; false where it was not written. */
export interface CallWriter {
  writeNow(call: OpenCall, text: string): boolean;
  write(call: OpenCall, text: string): Promise<boolean>;
  /** Undefined where it cannot be sealed. */
  seal(reply: CallModelResult): Promise<SealedPayload | undefined>;
  /** The call is no longer this process's; `keep` leaves its entry to whoever comes. */
  close(call: OpenCall, keep: boolean): void;
}

export class OpenCall {
  readonly id: string;
  #record: JournalRecord;
  #bytes = 0;
  #closed = false;
  readonly #writer: CallWriter;

  constructor(record: JournalRecord, writer: CallWriter) {
    const { place, task_token: token } = record;
    this.id = createHash("sha256").update(`${place}\n${token}`).digest("hex").slice(0, 32);
    this.#record = record;
    this.#writer = writer;
  }

  /** Of its entry; 0 where there is none. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Written before the call goes out, so that it counts even if this process dies in it. False where it was not. */
  progressed(progress: Progress): boolean {
    this.#record = { ...this.#record, progress: { ...progress } };
    const text = recordText(this.#record);
    const isWritten = this.#writer.writeNow(this, text);
    if (isWritten) this.#bytes += text.length;
    return isWritten;
  }

  /** The reply has arrived whole; afterwards no second call is needed, whatever becomes of this process. */
  async answered(reply: CallModelResult): Promise<void> {
    const payload = await this.#writer.seal(reply);
    if (payload === undefined) return;
    this.#record = { ...this.#record, reply: { digest: reply.root.digest, payload } };
    const text = recordText(this.#record);
    const isWritten =
      text.length <= AT_ONCE ? this.#writer.writeNow(this, text) : await this.#writer.write(this, text);
    if (isWritten) this.#bytes += text.length;
  }

  /** The server has acknowledged the call's end, or finds it by itself. */
  ended(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#writer.close(this, false);
  }

  /** The server could not be told of the reply: whoever comes next tells it, this process included. */
  async givenUp(): Promise<void> {
    this.#closed = true;
    this.#record = { ...this.#record, owner: null };
    await this.#writer.write(this, recordText(this.#record));
    this.#writer.close(this, true);
  }
}

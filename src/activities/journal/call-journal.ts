/** The calls in flight of this worker, on disk: what a later worker needs to end them when this one is killed. */
import type { LoadedDataConverter, Logger } from "@temporalio/common";
import { type ProcessOwner, thisProcess } from "../../connection/process-owner.js";
import type { CallModelInput, CallModelResult } from "../../core/conversation/activity-contract.js";
import { isAbsent } from "../../media-stores/read-regular-file.js";
import { reasonOf } from "../../media-stores/write-file-atomically.js";
import type { Progress } from "../progress.js";
import { BegunCalls } from "./begun-calls.js";
import { JournalFolder } from "./journal-folder.js";
import { type CallWriter, OpenCall } from "./open-call.js";
import { remakeFolder } from "./private-folder.js";
import { type SealedPayload, sealPayload } from "./sealed-payload.js";

export interface JournalOptions {
  /** Absolute; on a disk of this machine. */
  readonly folder: string;
  /** The namespace, told apart from those of other servers. */
  readonly place: string;
  readonly converter: LoadedDataConverter;
  readonly logger: Logger;
  /** Default 1,000. */
  readonly maxEntries?: number;
  /** Default 256 MiB. */
  readonly maxBytes?: number;
}

/** By which an attempt at a call is known to the server. */
export interface CallAttempt {
  readonly taskToken: Uint8Array;
  readonly activityId: string;
  readonly progress: Progress;
}

export interface JournalFill {
  readonly entries: number;
  readonly bytes: number;
}

const MAX_ENTRIES = 1_000;
const MAX_BYTES = 256 * 1024 * 1024;

export class CallJournal implements CallWriter {
  readonly folder: JournalFolder;
  readonly begun: BegunCalls;
  readonly place: string;
  readonly converter: LoadedDataConverter;
  readonly owner: ProcessOwner = thisProcess();
  readonly #options: JournalOptions;
  readonly #open = new Set<OpenCall>();
  #others: JournalFill = { entries: 0, bytes: 0 };
  #complained = false;

  private constructor(options: JournalOptions) {
    this.#options = options;
    this.place = options.place;
    this.converter = options.converter;
    this.folder = new JournalFolder(options.folder);
    this.begun = new BegunCalls(options.folder);
  }

  /** Undefined, and one line of warning, where the folder cannot be used: a worker works without. */
  static async open(options: JournalOptions): Promise<CallJournal | undefined> {
    const journal = new CallJournal(options);
    try {
      await journal.folder.prepare();
      journal.begun.forgetOld();
      return journal;
    } catch (error) {
      journal.#complain(error);
      return undefined;
    }
  }

  /** Never throws: what cannot be written costs a second call at worst, and only when this process dies. */
  begin(input: CallModelInput, { taskToken, activityId, progress }: CallAttempt): OpenCall {
    const record = {
      version: 1 as const,
      owner: this.owner,
      place: this.place,
      task_token: Buffer.from(taskToken).toString("base64"),
      conversation_id: input.conversation_id,
      run_id: input.run_id,
      activity_id: activityId,
      turn_id: input.turn_id,
      ...(input.quiet === true ? { quiet: true as const } : {}),
      progress,
    };
    const call = new OpenCall(record, this);
    this.#open.add(call);
    call.progressed(progress);
    return call;
  }

  /** True for a call that this process works on now: nobody else's business. */
  holds(id: string): boolean {
    for (const call of this.#open) if (call.id === id) return true;
    return false;
  }

  /** What else lies in the folder, told by whoever has looked. */
  othersHold(others: JournalFill): void {
    this.#others = others;
  }

  writeNow(call: OpenCall, text: string): boolean {
    if (!this.#hasRoom(text)) return false;
    try {
      if (call.bytes === 0) this.folder.writeNow(call.id, text);
      else this.folder.appendNow(call.id, text);
      return true;
    } catch (error) {
      return this.#writeAnew(call, text, error);
    }
  }

  async write(call: OpenCall, text: string): Promise<boolean> {
    if (call.bytes === 0) return this.writeNow(call, text);
    if (!this.#hasRoom(text)) return false;
    return this.folder.append(call.id, text).then(
      () => true,
      (error: unknown) => this.#writeAnew(call, text, error),
    );
  }

  /**
   * Where the folder was deleted under this worker it is made again; each text says all that is known of its call. Where the entry alone
   * is gone, another worker has taken the call over, or it went with the folder.
   */
  #writeAnew(call: OpenCall, text: string, failure: unknown): boolean {
    try {
      if (!isAbsent(failure)) return this.#complain(failure);
      if (!remakeFolder(this.folder.path)) return call.bytes === 0 && this.#complain(failure);
      this.folder.writeNow(call.id, text);
      return true;
    } catch (error) {
      return this.#complain(error);
    }
  }

  seal(reply: CallModelResult): Promise<SealedPayload | undefined> {
    return sealPayload(this.converter, reply).catch((error: unknown) => {
      this.#complain(error);
      return undefined;
    });
  }

  close(call: OpenCall, keep: boolean): void {
    this.#open.delete(call);
    if (!keep) this.folder.remove(call.id).catch((error: unknown) => this.#complain(error));
  }

  #hasRoom(text: string): boolean {
    const { maxEntries = MAX_ENTRIES, maxBytes = MAX_BYTES } = this.#options;
    let bytes = this.#others.bytes + text.length;
    for (const { bytes: written } of this.#open) bytes += written;
    if (this.#others.entries + this.#open.size <= maxEntries && bytes <= maxBytes) return true;
    return this.#complain(new Error("it is full of calls that have not ended"));
  }

  /** Once: a full disk would say it with every call. */
  #complain(error: unknown): false {
    if (!this.#complained) {
      this.#complained = true;
      this.#options.logger.warn(
        `The journal of calls ${this.#options.folder} cannot be used: ${reasonOf(error)}. Work goes on without it, but a call whose worker is killed is then made and paid again; HOLDFAST_JOURNAL names another folder, or none.`,
      );
    }
    return false;
  }
}

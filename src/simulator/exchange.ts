/** One request and its response on the socket, watched: what is sent, and when the client goes. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonObject } from "../core/json.js";
import type { CallLog, MutableCallRecord } from "./call-log.js";

export class Exchange {
  readonly request: IncomingMessage;
  readonly record: MutableCallRecord;
  /** The id under which the reply and an error name this call. */
  readonly requestId: string;
  readonly #response: ServerResponse;
  readonly #log: CallLog;
  readonly #closed = new AbortController();

  constructor(request: IncomingMessage, response: ServerResponse, record: MutableCallRecord, log: CallLog) {
    this.request = request;
    this.record = record;
    this.requestId = `req_sim${String(record.id).padStart(8, "0")}`;
    this.#response = response;
    this.#log = log;
    response.on("close", () => this.#onClose());
  }

  get closed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Puts what is learnt of the call into its record. */
  note(known: Partial<MutableCallRecord>): void {
    Object.assign(this.record, known);
    this.#log.changed(this.record);
  }

  sendHead(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.closed) return;
    this.#response.writeHead(status, { ...headers, "x-holdfast-simulated": "true" });
    this.#response.flushHeaders();
    this.note({ status });
  }

  async write(text: string, chunk: boolean): Promise<void> {
    const bytes = Buffer.byteLength(text);
    if (this.closed) {
      this.note({ bytesSentAfterClose: this.record.bytesSentAfterClose + bytes });
      return;
    }
    const drained = this.#response.write(text);
    this.note({
      bytesSent: this.record.bytesSent + bytes,
      chunksSent: this.record.chunksSent + (chunk ? 1 : 0),
    });
    if (!drained) await this.#drain();
  }

  end(): void {
    if (this.closed) return;
    this.note({ finished: true });
    this.#response.end();
  }

  async sendJson(
    status: number,
    body: JsonObject,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const text = JSON.stringify(body);
    this.sendHead(status, {
      ...headers,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(text)),
    });
    await this.write(text, false);
    this.end();
  }

  /** Destroys the socket under the client. */
  destroy(): void {
    this.note({ finished: true });
    this.#response.destroy();
  }

  /** Sends nothing until the client goes or the simulator closes. */
  async hang(): Promise<void> {
    if (this.closed) return;
    await new Promise<void>((resolve) => {
      this.#closed.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Waits, but not for a client that has gone. */
  async pause(milliseconds: number): Promise<void> {
    if (milliseconds <= 0 || this.closed) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#closed.signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.#closed.signal.addEventListener("abort", done);
    });
  }

  async #drain(): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#response.off("drain", done);
        this.#closed.signal.removeEventListener("abort", done);
        resolve();
      };
      this.#response.once("drain", done);
      this.#closed.signal.addEventListener("abort", done);
    });
  }

  #onClose(): void {
    this.note({ endedAt: Date.now(), clientClosed: !this.record.finished });
    this.#closed.abort();
  }
}

/** A source of chunks whose own failure is to be thrown as it is, not as a failure of whatever was reading it. */

export class GuardedSource {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #signal: AbortSignal | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(source: AsyncIterable<Uint8Array>, signal?: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  /** The chunks, until the signal is aborted. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    // What a reader that gives up throws into the generator is no failure of the source.
    let isOurs = true;
    try {
      for await (const chunk of this.#source) {
        this.#signal?.throwIfAborted();
        isOurs = false;
        yield chunk;
        isOurs = true;
      }
      this.#signal?.throwIfAborted();
    } catch (error) {
      if (isOurs) this.#failure = { error };
      throw error;
    }
  }

  /** What the source has thrown, otherwise the error of its reader. */
  causeOf(error: unknown): unknown {
    return this.#failure === undefined ? error : this.#failure.error;
  }
}

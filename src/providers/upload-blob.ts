/** A file for an SDK that uploads Blobs piece by piece, read from its source only as it is sent. */

/** The source has fewer or more bytes than were announced. */
export class UploadSizeError extends Error {
  override readonly name: string = "UploadSizeError";
}

/** One of its pieces. Its bytes are there once `read` has resolved; until then the piece is only a promise of them. */
export class UploadPiece extends Blob {
  readonly #read: () => Promise<Blob>;
  #blob: Promise<Blob> | undefined;

  constructor(read: () => Promise<Blob>) {
    super([]);
    this.#read = read;
  }

  /** The same bytes every time: the SDK may send a piece again. */
  read(): Promise<Blob> {
    this.#blob ??= this.#read();
    return this.#blob;
  }
}

/** What an SDK takes for a Blob: size, type and pieces, each asked for once and in their order. */
export class UploadBlob {
  readonly size: number;
  readonly type: string;
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();
  #failure: { readonly error: unknown } | undefined;

  constructor(
    source: AsyncIterable<Uint8Array>,
    { size, type }: { readonly size: number; readonly type: string },
  ) {
    this.size = size;
    this.type = type;
    this.#source = source[Symbol.asyncIterator]();
  }

  slice(start: number, end: number): UploadPiece {
    return new UploadPiece(() => this.#take(end - start, end === this.size));
  }

  /** What reading the source failed with, told from what the network did. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #take(length: number, isLast: boolean): Promise<Blob> {
    try {
      return await this.#read(length, isLast);
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  async #read(length: number, isLast: boolean): Promise<Blob> {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let missing = length;
    while (missing > 0) {
      const chunk = this.#rest.byteLength > 0 ? this.#rest : await this.#next();
      if (chunk === undefined)
        throw new UploadSizeError(`The file ends ${missing} bytes before its recorded size.`);
      const taken = chunk.subarray(0, missing);
      pieces.push(taken as Uint8Array<ArrayBuffer>);
      this.#rest = chunk.subarray(taken.byteLength);
      missing -= taken.byteLength;
    }
    // A source says at its end whether its bytes were the right ones.
    if (isLast && (this.#rest.byteLength > 0 || (await this.#next()) !== undefined)) {
      throw new UploadSizeError(`The file is larger than its recorded ${this.size} bytes.`);
    }
    return new Blob(pieces);
  }

  async #next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const { done, value } = await this.#source.next();
      if (done === true) return undefined;
      if (value.byteLength > 0) return value;
    }
  }
}

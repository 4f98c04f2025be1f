/** Frames that wait to leave the process: bounded, in the order of each conversation. */

export interface QueuedFrame {
  readonly conversationId: string;
  readonly json: string;
}

/** Frames of one conversation, for one request. Never empty. */
export interface FrameBatch {
  readonly conversationId: string;
  readonly frames: readonly QueuedFrame[];
}

const MOST_FRAMES = 4_096;
const MOST_CHARACTERS = 8 * 1024 * 1024;
const BATCH_FRAMES = 64;
/** UTF-8 makes at most three bytes of one: a full batch stays below the hub's 4 MiB. */
export const BATCH_CHARACTERS: number = 1024 * 1024;

export class FrameQueue {
  #frames: QueuedFrame[] = [];
  #characters = 0;

  get length(): number {
    return this.#frames.length;
  }

  /** Adds a frame; returns how many of the oldest had to go for it. */
  add(frame: QueuedFrame): number {
    this.#frames.push(frame);
    this.#characters += frame.json.length;
    return this.#cut();
  }

  /** Puts frames back in front, after a failure; returns how many of the oldest had to go. */
  putBack(frames: readonly QueuedFrame[]): number {
    this.#set([...frames, ...this.#frames]);
    return this.#cut();
  }

  /** Takes one batch of each conversation that has frames. */
  takeBatches(): readonly FrameBatch[] {
    const batches: FrameBatch[] = [];
    const rest: QueuedFrame[] = [];
    for (const [conversationId, frames] of Map.groupBy(this.#frames, (frame) => frame.conversationId)) {
      const count = fitting(frames);
      batches.push({ conversationId, frames: frames.slice(0, count) });
      rest.push(...frames.slice(count));
    }
    this.#set(rest);
    return batches;
  }

  /** Empties the queue; returns how many frames were in it. */
  clear(): number {
    const count = this.#frames.length;
    this.#set([]);
    return count;
  }

  #set(frames: QueuedFrame[]): void {
    this.#frames = frames;
    this.#characters = frames.reduce((sum, { json }) => sum + json.length, 0);
  }

  #cut(): number {
    let count = 0;
    while (this.#frames.length > MOST_FRAMES || this.#characters > MOST_CHARACTERS) {
      this.#characters -= this.#frames.shift()?.json.length ?? 0;
      count += 1;
    }
    return count;
  }
}

/** How many of the frames make one batch: at least one. */
function fitting(frames: readonly QueuedFrame[]): number {
  let characters = 0;
  const full = frames.findIndex(({ json }, index) => {
    characters += json.length;
    return index === BATCH_FRAMES || (index > 0 && characters > BATCH_CHARACTERS);
  });
  return full === -1 ? frames.length : full;
}

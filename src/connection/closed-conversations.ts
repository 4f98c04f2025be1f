/** The last envelopes of closed conversations: a blob of the working store each, and a pointer beside the store. */
import { createHash } from "node:crypto";
import pLimit from "p-limit";
import type { Envelope } from "../core/envelope/envelope.js";
import { parseEnvelope } from "../core/envelope/parse-envelope.js";
import { serialiseEnvelope } from "../core/envelope/serialise-envelope.js";
import { EnvelopeDamagedError } from "../core/errors/errors.js";
import { isJsonObject } from "../core/json.js";
import { isMediaKey } from "../core/media/marker.js";
import type { MediaStore } from "../core/media/media-store.js";
import { openPointerFiles, type PointerFiles } from "./pointer-files.js";

/** Pointers that a list reads at once. */
const READS_AT_ONCE = 16;

/** One pointer, `closed/<sha256 of the conversation's id>.json`. */
export interface ClosedConversation {
  readonly conversation_id: string;
  /** Key of the blob that holds the envelope. */
  readonly envelope: string;
  readonly closed_at: string;
  readonly provider: string;
  readonly model: string;
  readonly run_count: number;
}

/** Of a pointer, what garbage collection needs. */
export type KeptEnvelope = Pick<ClosedConversation, "conversation_id" | "envelope">;

/** An envelope as it is kept, and what its pointer says of it. */
export interface ClosedEnvelope extends Omit<ClosedConversation, "closed_at"> {
  readonly bytes: Uint8Array;
}

/** What was deleted of a conversation. */
export interface DeletedEnvelope {
  /** Whether there was a pointer. */
  readonly found: boolean;
  /** Key of the blob that is gone. */
  readonly envelope: string | null;
}

export function closedEnvelope(envelope: Envelope): ClosedEnvelope {
  const bytes = new TextEncoder().encode(serialiseEnvelope(envelope));
  return {
    conversation_id: envelope.conversation_id,
    envelope: `${createHash("sha256").update(bytes).digest("hex")}.json`,
    provider: envelope.provider,
    model: envelope.model,
    run_count: envelope.metadata.run_count,
    bytes,
  };
}

export class ClosedConversations {
  readonly #store: MediaStore;
  readonly #pointers: PointerFiles;

  /** `root` is the setting of the working store: its folder, or its `s3://` URL. */
  constructor(store: MediaStore, root: string) {
    this.#store = store;
    this.#pointers = openPointerFiles(root);
  }

  async keep(envelope: Envelope, closedAt: string): Promise<void> {
    await this.keepWritten(closedEnvelope(envelope), closedAt);
  }

  /** The same for an envelope that has been written as JSON elsewhere. */
  async keepWritten({ bytes, ...said }: ClosedEnvelope, closedAt: string): Promise<void> {
    await this.#store.put(said.envelope, bytes);
    const pointer: ClosedConversation = { ...said, closed_at: closedAt };
    await this.#pointers.write(nameOf(said.conversation_id), `${JSON.stringify(pointer)}\n`);
  }

  async find(conversationId: string): Promise<ClosedConversation | undefined> {
    return this.#read(nameOf(conversationId));
  }

  /** @throws EnvelopeDamagedError where there is a pointer and the envelope is gone or changed. */
  async open(conversationId: string): Promise<Envelope | undefined> {
    const pointer = await this.find(conversationId);
    if (pointer === undefined) return undefined;
    const source = `The last envelope of ${JSON.stringify(conversationId)}`;
    const bytes = await this.#store.get(pointer.envelope);
    if (bytes !== undefined) return parseEnvelope(new TextDecoder().decode(bytes), { source }).envelope;
    throw new EnvelopeDamagedError(
      `${source} is not in the media store (${pointer.envelope}): point HOLDFAST_MEDIA_STORE at the store with which the conversation was closed.`,
    );
  }

  async list(): Promise<readonly ClosedConversation[]> {
    const pointers = await this.#each((name) => this.#read(name));
    return pointers.sort((a, b) => a.closed_at.localeCompare(b.closed_at));
  }

  /**
   * Every last envelope that is kept, and of whom.
   *
   * @throws EnvelopeDamagedError for a pointer that cannot be read: what it keeps is not known then, and nothing may be deleted.
   */
  async keptEnvelopes(): Promise<readonly KeptEnvelope[]> {
    return this.#each(async (name) => {
      const text = await this.#pointers.read(name);
      if (text === undefined) return undefined;
      const pointer = parsePointer(text);
      if (pointer !== undefined) return pointer;
      throw new EnvelopeDamagedError(
        `${this.#pointers.place(name)} is damaged, and which last envelope it keeps is not known: delete it to give that conversation up.`,
      );
    });
  }

  /**
   * Deletes what is kept of a conversation: first the blob, which stays where another pointer names it, then the pointer, so
   * that what fails can be done again. A damaged pointer goes as well; its blob is garbage then.
   */
  async delete(conversationId: string): Promise<DeletedEnvelope> {
    const name = nameOf(conversationId);
    const text = await this.#pointers.read(name);
    if (text === undefined) return { found: false, envelope: null };
    const key = parsePointer(text)?.envelope;
    const envelope = key === undefined || (await this.#isNamedBeside(name, key)) ? null : key;
    if (envelope !== null) await this.#store.delete?.(envelope);
    await this.#pointers.delete(name);
    return { found: true, envelope };
  }

  /** Where the pointer of a conversation is, for messages. */
  place(conversationId: string): string {
    return this.#pointers.place(nameOf(conversationId));
  }

  async #isNamedBeside(name: string, key: string): Promise<boolean> {
    const keys = await this.#each(async (other) =>
      other === name ? undefined : (await this.#read(other))?.envelope,
    );
    return keys.includes(key);
  }

  async #each<T>(read: (name: string) => Promise<T | undefined>): Promise<T[]> {
    const names = (await this.#pointers.names()).filter((name) => name.endsWith(".json"));
    const atOnce = pLimit(READS_AT_ONCE);
    const found = await Promise.all(names.map((name) => atOnce(() => read(name))));
    return found.filter((one) => one !== undefined);
  }

  async #read(name: string): Promise<ClosedConversation | undefined> {
    const text = await this.#pointers.read(name);
    return text === undefined ? undefined : parsePointer(text);
  }
}

function nameOf(conversationId: string): string {
  return `${createHash("sha256").update(conversationId).digest("hex")}.json`;
}

function parsePointer(text: string): ClosedConversation | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (
      !isJsonObject(value) ||
      typeof value.conversation_id !== "string" ||
      typeof value.envelope !== "string" ||
      !isMediaKey(value.envelope) ||
      typeof value.closed_at !== "string"
    )
      return undefined;
    return value as unknown as ClosedConversation;
  } catch {
    return undefined;
  }
}

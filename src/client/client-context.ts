/** What all handles of one connection share. */
import type { Client } from "@temporalio/client";
import type { Logger } from "@temporalio/common";
import type { ClosedConversations } from "../connection/closed-conversations.js";
import type { NamedStores } from "../connection/open-media-store.js";
import type { Settings } from "../connection/settings.js";
import type { FrameSource } from "../core/conversation/frame.js";
import type { ParsedEnvelope } from "../core/envelope/read-envelope.js";
import type { MediaStore } from "../core/media/media-store.js";
import type { ForkOptions } from "./conversation-options.js";
import type { ConversationSlots } from "./conversation-slots.js";
import type { DeferredStart } from "./start-workflow.js";

/** `Forked` is the handle that a fork gives: whoever makes handles names it, and this file knows none of them. */
export interface ClientContext<Forked = unknown> {
  readonly client: Client;
  readonly settings: Settings;
  /** The working store. */
  readonly mediaStore: MediaStore;
  /** The user's own, by name. */
  readonly stores: NamedStores;
  readonly closed: ClosedConversations;
  /** Of a handle on a conversation that its first use starts. */
  readonly starting: DeferredStart | undefined;
  /** Where frames can be read; undefined where no stream is known. */
  readonly frames: FrameSource | undefined;
  readonly updates: ConversationSlots;
  readonly queries: ConversationSlots;
  /** Whether histories may be converted between providers. */
  readonly convert: boolean;
  readonly logger: Logger;
  /** A new conversation with the first turns of an envelope. */
  readonly fork: (parsed: ParsedEnvelope, options: ForkOptions) => Promise<Forked>;
  /** Folder against which paths are resolved. */
  readonly cwd: string;
}

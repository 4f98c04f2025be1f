/** The history as the running turn sees it: what is committed, and what the turn has staged. */
import type { MediaEntry, NativeMessage } from "../envelope/envelope.js";
import type { Root } from "./activity-contract.js";
import type { ConversationState } from "./state.js";
import { listOf } from "./state.js";
import { fileEntries } from "./turn.js";

export function transcriptMessages(state: ConversationState): readonly NativeMessage[] {
  const messages = listOf(state, "messages");
  const staged = state.running?.staged ?? [];
  return staged.length === 0 ? messages : [...messages, ...staged];
}

export function transcriptMedia(state: ConversationState): readonly (readonly [string, MediaEntry])[] {
  const { running } = state;
  if (running === null || running.calls.length === 0) return listOf(state, "media");
  return [
    ...listOf(state, "media"),
    ...fileEntries(running.files),
    ...fileEntries(running.tool_files),
    ...running.calls.flatMap(({ media = {} }) => Object.entries(media)),
  ];
}

export function transcriptRoot({ head, running }: ConversationState): Root {
  return running?.root ?? head.root;
}

/** A workflow handle that answers the paged queries from a state of this process, as the workflow's own handlers do. */
import type { WorkflowHandle } from "@temporalio/client";
import { envelopePieces, type ListCounts } from "../../src/core/conversation/export.js";
import { mediaReferencesOf } from "../../src/core/conversation/media-references.js";
import type { PageRequest } from "../../src/core/conversation/messages.js";
import { pageOf } from "../../src/core/conversation/page.js";
import { type ConversationState, listOf } from "../../src/core/conversation/state.js";
import {
  transcriptMedia,
  transcriptMessages,
  transcriptRoot,
} from "../../src/core/conversation/transcript.js";
import { interruptedTurnOf, turnView } from "../../src/core/conversation/views.js";

export interface QueryHandle {
  readonly handle: WorkflowHandle;
  /** Names of the queries asked so far, one for each page. */
  readonly asked: readonly string[];
}

type Request = PageRequest & {
  readonly counts?: ListCounts;
  readonly agent?: boolean;
  readonly media?: boolean;
  readonly turn_id?: string;
};

/** `current` is called for every query, so that a conversation can go on between two pages. */
export function queryHandle(current: () => ConversationState | Promise<ConversationState>): QueryHandle {
  const asked: string[] = [];
  const answers: Readonly<Record<string, (state: ConversationState, request: Request) => unknown>> = {
    envelope: (state, request) => pageOf(envelopePieces(state, request.counts), request, state.version),
    messages: (state, request) => pageOf(listOf(state, "messages"), request, state.version),
    turn: (state, request) => turnView(state, request.turn_id ?? ""),
    interrupted_turn: (state, request) =>
      pageOf([interruptedTurnOf(state, request.turn_id)], request, state.version),
    media_references: (state, request) => pageOf(mediaReferencesOf(state), request, state.version),
    transcript: (state, request) => ({
      ...pageOf<unknown>(
        request.agent === true
          ? [{ agent: state.head.agent, system: state.head.system }]
          : request.media === true
            ? transcriptMedia(state)
            : transcriptMessages(state),
        request,
        state.version,
      ),
      root: transcriptRoot(state),
    }),
  };
  const query = async (definition: { readonly name: string }, request: Request = {}): Promise<unknown> => {
    asked.push(definition.name);
    const state = await current();
    // Across the wire an answer is JSON.
    return JSON.parse(JSON.stringify(answers[definition.name]?.(state, request)));
  };
  return { handle: { query } as unknown as WorkflowHandle, asked };
}

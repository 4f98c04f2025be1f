/** Requests from chat histories with faults: no empty assistant turns, each call answered right behind it. */
import type { NativeMessage } from "../../envelope/envelope.js";
import type { DialectMending, Exchange, PlacedMessage, TidiedMessage } from "../mending.js";
import { NO_RESULT } from "../repair.js";
import { toolResultMessages } from "./tools.js";
import { asChatMessage } from "./wire.js";

export const mending: DialectMending = {
  tidy,
  exchanges,
  withIds,
  // Kimi counts the ids of each turn anew: only inside a round must they differ.
  uniqueIn: "round",
  continuesCalls: () => false,
  endsRound: ({ role }) => role !== "tool",
  answers: (calls) =>
    toolResultMessages(
      calls.map(({ sentId, name }) => ({
        call: { id: sentId ?? "", name: name ?? "", arguments: {} },
        output: NO_RESULT,
        is_error: true,
      })),
    ),
  withAnswers,
};

/** An assistant turn that says nothing and calls nothing is refused. */
function tidy(message: NativeMessage): TidiedMessage | undefined {
  const chat = asChatMessage(message);
  if (chat?.role !== "assistant" || (chat.tool_calls ?? []).length > 0) return undefined;
  if ((chat.function_call ?? null) !== null || (chat.refusal ?? "") !== "") return undefined;
  const { content } = chat;
  // An empty string is an answer; nothing at all, or an empty list, is refused.
  const isNothing = content === undefined || content === null || (content !== "" && content.length === 0);
  return isNothing ? { messages: [], report: [] } : undefined;
}

function exchanges(message: NativeMessage): readonly Exchange[] {
  const chat = asChatMessage(message);
  if (chat?.role === "tool") {
    return [{ kind: "result", id: chat.tool_call_id ?? "", name: undefined, path: "tool_call_id" }];
  }
  if (chat?.role !== "assistant") return [];
  return (chat.tool_calls ?? []).map((call, at) => ({
    kind: "call",
    id: call.id ?? "",
    name: call.function?.name ?? call.custom?.name ?? undefined,
    path: `tool_calls.${at}.id`,
  }));
}

function withIds(message: NativeMessage, ids: readonly (string | null)[]): NativeMessage {
  const chat = asChatMessage(message);
  if (chat?.role === "tool") return { ...message, tool_call_id: ids[0] ?? null };
  const calls = (chat?.tool_calls ?? []).map((call, at) => ({ ...call, id: ids[at] ?? null }));
  return { ...message, tool_calls: calls };
}

/** Behind the results that are there: the tool messages of a round stand together. */
function withAnswers(
  following: readonly PlacedMessage[],
  answers: readonly NativeMessage[],
): readonly PlacedMessage[] {
  const end = following.findIndex(({ message }) => message.role !== "tool");
  const there = end < 0 ? following : following.slice(0, end);
  const made = answers.map((message) => ({ message, from: undefined }));
  return [...there, ...made, ...following.slice(there.length)];
}

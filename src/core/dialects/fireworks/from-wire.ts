/** What can be read out of a Chat Completions history. */
import type { NativeMessage } from "../../envelope/envelope.js";
import type { ToolCall } from "../dialect.js";
import { hasRole } from "../has-role.js";
import { parsedArguments } from "../parsed-arguments.js";
import { asChatMessage, type ChatMessage, type ChatToolCall, type ContentPart } from "./wire.js";

export function hasToolResults(message: NativeMessage): boolean {
  const role = asChatMessage(message)?.role;
  return role === "tool" || role === "function";
}

export function startsTurn(message: NativeMessage): boolean {
  return hasRole(message, "user") && asChatMessage(message) !== undefined;
}

/** Reasoning is left out; a refusal is what the model said. */
export function outputText(messages: readonly NativeMessage[]): string {
  return messages
    .map((message) => {
      const chat = asChatMessage(message);
      return chat?.role === "assistant" ? textOf(chat.content) + (chat.refusal ?? "") : "";
    })
    .filter((text) => text !== "")
    .join("\n");
}

function textOf(content: ChatMessage["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part: ContentPart) => part.text ?? part.refusal ?? "").join("");
}

/** Ids repeat on this wire, across turns and within one message: a result answers the first open call with its id. */
export function openToolCalls(messages: readonly NativeMessage[]): readonly ToolCall[] {
  const open: ToolCall[] = [];
  for (const message of messages) {
    const chat = asChatMessage(message);
    if (chat?.role === "assistant") open.push(...callsOf(chat));
    if (chat?.role === "tool") settle(open, (call) => call.id === chat.tool_call_id);
    if (chat?.role === "function") settle(open, (call) => call.name === chat.name);
  }
  return open;
}

function settle(open: ToolCall[], answers: (call: ToolCall) => boolean): void {
  const answered = open.findIndex(answers);
  if (answered !== -1) open.splice(answered, 1);
}

function callsOf(chat: ChatMessage): readonly ToolCall[] {
  const calls = (chat.tool_calls ?? []).map(callOf);
  const { function_call: deprecated } = chat;
  if (!deprecated) return calls;
  const name = deprecated.name ?? "";
  return [...calls, { id: name, name, arguments: parsedArguments(deprecated.arguments ?? "") }];
}

function callOf({ id, function: called, custom }: ChatToolCall): ToolCall {
  if (custom) return { id: id ?? "", name: custom.name ?? "", arguments: custom.input ?? "" };
  return { id: id ?? "", name: called?.name ?? "", arguments: parsedArguments(called?.arguments ?? "") };
}

/** What can be read out of a Gemini history. */
import type { NativeMessage } from "../../envelope/envelope.js";
import type { ToolCall } from "../dialect.js";
import { hasRole } from "../has-role.js";
import { idOfCall } from "./tools.js";
import { asContent, type FunctionResponse, type Part } from "./wire.js";

export function hasToolResults(message: NativeMessage): boolean {
  return asContent(message)?.parts.some((part) => part.functionResponse) ?? false;
}

export function startsTurn(message: NativeMessage): boolean {
  if (!hasRole(message, "user")) return false;
  return asContent(message)?.parts.some((part) => !part.functionResponse) ?? false;
}

/** Thoughts are left out. Gemini cuts a text into parts anywhere, so those of one message are joined without a break. */
export function outputText(messages: readonly NativeMessage[]): string {
  return messages
    .map((message) => {
      const content = asContent(message);
      return content?.role === "model" ? content.parts.map(visibleText).join("") : "";
    })
    .filter((text) => text !== "")
    .join("\n");
}

/**
 * A response answers the call with its id, and without one the first open call of its name. Calls that came without an
 * id get one by their position, counted from the first of these messages.
 */
export function openToolCalls(messages: readonly NativeMessage[]): readonly ToolCall[] {
  const open: ToolCall[] = [];
  let position = 0;
  for (const message of messages) {
    for (const part of asContent(message)?.parts ?? []) {
      const call = part.functionCall;
      if (call) {
        open.push({ id: idOfCall(call, position), name: call.name ?? "", arguments: call.args ?? {} });
        position += 1;
      }
      if (part.functionResponse) settle(open, part.functionResponse);
    }
  }
  return open;
}

function settle(open: ToolCall[], response: FunctionResponse): void {
  if (response.willContinue === true) return;
  const answered = open.findIndex(({ id, name }) =>
    response.id ? id === response.id : name === response.name,
  );
  if (answered !== -1) open.splice(answered, 1);
}

function visibleText(part: Part): string {
  return part.thought === true ? "" : (part.text ?? "");
}

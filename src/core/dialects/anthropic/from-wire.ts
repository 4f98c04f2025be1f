/** What can be read out of an Anthropic history. */
import type { NativeMessage } from "../../envelope/envelope.js";
import type { ToolCall } from "../dialect.js";
import { hasRole } from "../has-role.js";
import { asMessage, type Block, blocksOf } from "./wire.js";

export function hasToolResults(message: NativeMessage): boolean {
  const found = asMessage(message);
  return found?.role === "user" && blocksOf(found).some(({ type }) => type === "tool_result");
}

export function startsTurn(message: NativeMessage): boolean {
  const found = hasRole(message, "user") ? asMessage(message) : undefined;
  return found !== undefined && blocksOf(found).some(({ type }) => type !== "tool_result");
}

/** Neighbouring text blocks are one text that citations cut; between others stands a line break. */
export function outputText(messages: readonly NativeMessage[]): string {
  return messages
    .map((message) => {
      const found = asMessage(message);
      return found?.role === "assistant" ? textOf(blocksOf(found)) : "";
    })
    .filter((text) => text !== "")
    .join("\n");
}

function textOf(blocks: readonly Block[]): string {
  let text = "";
  let neighbours = true;
  for (const block of blocks) {
    const said = block.type === "text" ? (block.text ?? "") : "";
    if (said !== "") text += text === "" || neighbours ? said : `\n${said}`;
    neighbours = block.type === "text";
  }
  return text;
}

/** Server-run tools answer themselves and are none of ours. */
export function openToolCalls(messages: readonly NativeMessage[]): readonly ToolCall[] {
  const open: ToolCall[] = [];
  for (const message of messages) {
    const found = asMessage(message);
    for (const block of found === undefined ? [] : blocksOf(found)) {
      if (block.type === "tool_use") {
        open.push({ id: block.id ?? "", name: block.name ?? "", arguments: block.input ?? {} });
      } else if (block.type === "tool_result") {
        const answered = open.findIndex(({ id }) => id === block.tool_use_id);
        if (answered !== -1) open.splice(answered, 1);
      }
    }
  }
  return open;
}

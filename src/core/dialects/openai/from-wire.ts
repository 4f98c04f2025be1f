/** What can be read out of a Responses history. */
import type { NativeMessage } from "../../envelope/envelope.js";
import type { ToolCall } from "../dialect.js";
import { hasRole } from "../has-role.js";
import { parsedArguments } from "../parsed-arguments.js";
import { asItem, asMessage, type Item, partsOf } from "./wire.js";

export function hasToolResults(message: NativeMessage): boolean {
  return ANSWERS.has(asItem(message)?.type ?? "");
}

export function startsTurn(message: NativeMessage): boolean {
  return hasRole(message, "user") && asMessage(message) !== undefined;
}

/** A refusal is said to the user like any other text. */
export function outputText(messages: readonly NativeMessage[]): string {
  return messages
    .map((message) => {
      const found = asMessage(message);
      if (found?.role !== "assistant") return "";
      return partsOf(found)
        .map(({ text, refusal }) => text ?? refusal ?? "")
        .join("");
    })
    .filter((text) => text !== "")
    .join("\n");
}

const FUNCTION_OUTPUT = "function_call_output";

/** The kinds of calls that the client runs: what each names and hands over, and the kind of item that answers it. */
const CLIENT_CALLS: Readonly<
  Record<string, { readonly answer: string; readonly read: (item: Item) => Omit<ToolCall, "id"> }>
> = {
  function_call: {
    answer: FUNCTION_OUTPUT,
    read: (item) => ({
      name: item.name ?? "",
      arguments: parsedArguments(typeof item.arguments === "string" ? item.arguments : ""),
    }),
  },
  custom_tool_call: {
    answer: "custom_tool_call_output",
    read: (item) => ({ name: item.name ?? "", arguments: item.input ?? "" }),
  },
  computer_call: {
    answer: "computer_call_output",
    read: (item) => ({ name: "computer", arguments: item.actions ?? item.action ?? {} }),
  },
  local_shell_call: {
    answer: "local_shell_call_output",
    read: (item) => ({ name: "local_shell", arguments: item.action ?? {} }),
  },
  shell_call: {
    answer: "shell_call_output",
    read: (item) => ({ name: "shell", arguments: item.action ?? {} }),
  },
  apply_patch_call: {
    answer: "apply_patch_call_output",
    read: (item) => ({ name: "apply_patch", arguments: item.operation ?? {} }),
  },
};
const ANSWERS: ReadonlySet<string> = new Set(Object.values(CLIENT_CALLS).map(({ answer }) => answer));

export function openToolCalls(messages: readonly NativeMessage[]): readonly ToolCall[] {
  const open: { readonly call: ToolCall; readonly answer: string; readonly itemId: string }[] = [];
  for (const message of messages) {
    const item = asItem(message);
    const type = item?.type ?? "";
    if (item === undefined) continue;
    const kind = Object.hasOwn(CLIENT_CALLS, type) ? CLIENT_CALLS[type] : undefined;
    if (kind !== undefined) {
      const answer = kind.answer === FUNCTION_OUTPUT ? {} : { answer: kind.answer };
      const call = { id: item.call_id ?? item.id ?? "", ...kind.read(item), ...answer };
      open.push({ call, answer: kind.answer, itemId: item.id ?? "" });
    } else if (ANSWERS.has(type)) {
      // A local shell's output names its call by `id`, all others by `call_id`.
      const id = item.call_id ?? item.id;
      const answered = open.findIndex(
        ({ call, answer, itemId }) => answer === type && (id === call.id || id === itemId),
      );
      if (answered !== -1) open.splice(answered, 1);
    }
  }
  return open.map(({ call }) => call);
}

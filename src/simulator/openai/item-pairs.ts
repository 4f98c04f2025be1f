/** What binds input items to each other: calls to outputs, reasoning to what it led to. */
import type { JsonObject } from "../../core/json.js";
import type { WireIssue } from "../wire-issue.js";
import { typeOf } from "./items.js";
import { requiredReasoning } from "./opaque.js";

export function checkPairs(items: readonly JsonObject[]): readonly WireIssue[] {
  return [
    ...checkOutputs(items, "function_call", "function call"),
    ...checkOutputs(items, "custom_tool_call", "custom tool call"),
    ...items.flatMap((item, index) => checkReasoningBonds(items, item, index)),
  ];
}

function checkOutputs(items: readonly JsonObject[], type: string, words: string): readonly WireIssue[] {
  const open = new Map<unknown, number>();
  const known = new Set<unknown>();
  const issues: WireIssue[] = [];
  for (const [index, item] of items.entries()) {
    const id = item.call_id;
    const path = `input.${index}.call_id`;
    if (typeOf(item) === type) {
      if (known.has(id)) issues.push({ path, message: `Duplicate ${words} with call_id ${String(id)}.` });
      known.add(id);
      open.set(id, index);
    } else if (typeOf(item) === `${type}_output`) {
      if (!known.has(id)) {
        issues.push({ path, message: `No tool call found for ${words} output with call_id ${String(id)}.` });
      } else if (!open.delete(id)) {
        issues.push({ path, message: `Duplicate ${words} output with call_id ${String(id)}.` });
      }
    }
  }
  const unanswered = [...open].map(([id, index]) => ({
    path: `input.${index}`,
    message: `No tool output found for ${words} ${String(id)}.`,
  }));
  return [...issues, ...unanswered];
}

function checkReasoningBonds(
  items: readonly JsonObject[],
  item: JsonObject,
  index: number,
): readonly WireIssue[] {
  const path = `input.${index}`;
  if (typeOf(item) === "reasoning" && !leadsOn(items[index + 1])) {
    const message = `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`;
    return [{ path, message }];
  }
  const required = typeof item.id === "string" ? requiredReasoning(item.id) : undefined;
  if (required === undefined || items.slice(0, index).some(({ id }) => id === required)) return [];
  const message = `Item '${String(item.id)}' of type '${typeOf(item)}' was provided without its required 'reasoning' item: '${required}'.`;
  return [{ path, message }];
}

/** What reasoning may be followed by: anything that the model itself made. */
function leadsOn(next: JsonObject | undefined): boolean {
  if (next === undefined) return false;
  const type = typeOf(next);
  return type === "message" ? next.role === "assistant" : !type.endsWith("_output");
}

/** Calls and results across the messages of a request: each call answered once, at once, and by results first. */
import { isJsonObject, type JsonObject } from "../../core/json.js";
import type { WireIssue } from "../wire-issue.js";
import { blocksIn } from "./facts.js";
import { issueAt } from "./issues.js";

interface PlacedBlock {
  readonly block: JsonObject;
  readonly path: string;
}
/** Consecutive messages of one role, which the service reads as one. */
interface Turn {
  readonly role: string;
  /** Index of its last message. */
  readonly last: number;
  readonly blocks: readonly PlacedBlock[];
}

export function checkToolRounds(messages: readonly JsonObject[], thinking: boolean): readonly WireIssue[] {
  const turns = turnsOf(messages);
  return [
    ...checkUniqueCalls(turns),
    ...turns.flatMap((turn, index) => checkAnswered(turn, turns[index + 1])),
    ...turns.flatMap((turn, index) => checkResults(turn, turns[index - 1])),
    ...(thinking ? checkLoopStartsWithThinking(turns) : []),
  ];
}

function turnsOf(messages: readonly JsonObject[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const role = String(message.role);
    // System text inside the history does not part a call from its result.
    if (role === "system") continue;
    const blocks = blocksIn(message.content).map((block, position) => ({
      block,
      path: `messages.${index}.content.${position}`,
    }));
    const previous = turns.at(-1);
    if (previous?.role !== role) turns.push({ role, last: index, blocks });
    else turns.splice(-1, 1, { role, last: index, blocks: [...previous.blocks, ...blocks] });
  }
  return turns;
}

function ofType(turn: Turn | undefined, type: string): readonly PlacedBlock[] {
  return (turn?.blocks ?? []).filter(({ block }) => block.type === type);
}

function checkUniqueCalls(turns: readonly Turn[]): readonly WireIssue[] {
  const seen = new Set<unknown>();
  return turns.flatMap((turn) =>
    ofType(turn, "tool_use").flatMap(({ block, path }) => {
      if (seen.has(block.id)) return [issueAt(path, "`tool_use` ids must be unique")];
      seen.add(block.id);
      return [];
    }),
  );
}

/** A turn that ends the request may not leave a call open either: nobody but the caller could answer it. */
function checkAnswered(turn: Turn, next: Turn | undefined): readonly WireIssue[] {
  const calls = ofType(turn, "tool_use");
  if (calls.length === 0) return [];
  const answered = leadingResults(next);
  const open = calls.map(({ block }) => String(block.id)).filter((id) => !answered.has(id));
  if (open.length === 0) return [];
  const message = `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
  return [issueAt(`messages.${turn.last}`, message)];
}

/** Only results that stand before any other block of the turn count. */
function leadingResults(turn: Turn | undefined): ReadonlySet<string> {
  const blocks = turn?.blocks ?? [];
  const end = blocks.findIndex(({ block }) => block.type !== "tool_result");
  const leading = end === -1 ? blocks : blocks.slice(0, end);
  return new Set(leading.map(({ block }) => String(block.tool_use_id)));
}

function checkResults(turn: Turn, previous: Turn | undefined): readonly WireIssue[] {
  const calls = new Set(ofType(previous, "tool_use").map(({ block }) => block.id));
  const seen = new Set<unknown>();
  return ofType(turn, "tool_result").flatMap(({ block, path }) => {
    const id = block.tool_use_id;
    if (!calls.has(id)) {
      const message = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      return [issueAt(path, message)];
    }
    if (seen.has(id)) {
      const message = `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${String(id)}`;
      return [issueAt(path, message)];
    }
    seen.add(id);
    return [];
  });
}

function checkLoopStartsWithThinking(turns: readonly Turn[]): readonly WireIssue[] {
  const last = turns.at(-1);
  const calling = turns.at(-2);
  const [first] = calling?.blocks ?? [];
  if (ofType(last, "tool_result").length === 0 || first === undefined || !isJsonObject(first.block))
    return [];
  const type = String(first.block.type);
  if (type === "thinking" || type === "redacted_thinking") return [];
  const message = `Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
  return [issueAt(`${first.path}.type`, message)];
}

/** Requests from Anthropic histories with faults: no blank text, results first, ids of their own. */
import type { ConversionReportEntry, NativeMessage } from "../../envelope/envelope.js";
import { isJsonObject, type JsonValue } from "../../json.js";
import { answersFirst, type DialectMending, type Exchange, type TidiedMessage } from "../mending.js";
import { PLACEHOLDER } from "../placeholder.js";
import { NO_RESULT } from "../repair.js";
import { dropped, moved } from "../report.js";
import { toolResultMessages } from "./tools.js";
import { asMessage, type Block } from "./wire.js";

export const mending: DialectMending = {
  tidy,
  exchanges,
  withIds,
  uniqueIn: "request",
  continuesCalls: ({ role }) => role === "assistant",
  endsRound: ({ role }, follows) => role === "assistant" && !follows,
  answers: (calls) =>
    toolResultMessages(
      calls.map(({ sentId, name }) => ({
        call: { id: sentId ?? "", name: name ?? "", arguments: {} },
        output: NO_RESULT,
        is_error: true,
      })),
    ),
  withAnswers: answersFirst,
  opening: { role: "user", content: [{ type: "text", text: PLACEHOLDER }] },
  beginsWithModel: ({ role }) => role === "assistant",
};

function tidy(message: NativeMessage, index: number): TidiedMessage | undefined {
  const found = asMessage(message);
  if (found === undefined) return undefined;
  const report: ConversionReportEntry[] = [];
  if (typeof found.content === "string") {
    if (!isBlank(found.content)) return undefined;
    if (found.content !== "") report.push(dropped("empty", { index, path: "content" }, "blank text"));
    return { messages: [], report };
  }
  const kept = withoutBlank(found.content, { index, path: "content", report });
  const content = resultsFirst(kept, index, report);
  if (content === found.content && content.length > 0) return undefined;
  return { messages: content.length === 0 ? [] : [{ ...message, content }], report };
}

interface Place {
  readonly index: number;
  readonly path: string;
  readonly report: ConversionReportEntry[];
}

/** The very same list where no text is blank; results are looked into. */
function withoutBlank(blocks: readonly Block[], place: Place): readonly Block[] {
  const kept = blocks.flatMap((block, at): readonly Block[] => {
    const path = `${place.path}.${at}`;
    if (block.type === "text" && isBlank(block.text)) {
      if (block.text !== "") place.report.push(dropped("empty", { index: place.index, path }, "blank text"));
      return [];
    }
    return [block.type === "tool_result" ? withoutBlankContent(block, { ...place, path }) : block];
  });
  return kept.length === blocks.length && kept.every((block, at) => block === blocks[at]) ? blocks : kept;
}

function withoutBlankContent(result: Block, place: Place): Block {
  const { content, ...bare } = result;
  if (typeof content === "string") return content !== "" && isBlank(content) ? (bare as Block) : result;
  if (!isBlocks(content)) return result;
  const kept = withoutBlank(content, { ...place, path: `${place.path}.content` });
  if (kept === content) return result;
  return kept.length === 0 ? (bare as Block) : { ...result, content: kept };
}

function isBlocks(value: JsonValue | undefined): value is readonly Block[] {
  return (
    Array.isArray(value) && value.every((entry) => isJsonObject(entry) && typeof entry.type === "string")
  );
}

function resultsFirst(
  blocks: readonly Block[],
  index: number,
  report: ConversionReportEntry[],
): readonly Block[] {
  const last = blocks.findLastIndex(({ type }) => type === "tool_result");
  const first = blocks.findIndex(({ type }) => type !== "tool_result");
  if (first < 0 || first > last) return blocks;
  report.push(moved("order", { index, path: `content.${first}` }, "behind the results, in the request"));
  return [
    ...blocks.filter(({ type }) => type === "tool_result"),
    ...blocks.filter(({ type }) => type !== "tool_result"),
  ];
}

function isBlank(text: JsonValue | undefined): boolean {
  return typeof text === "string" && text.trim() === "";
}

function exchanges(message: NativeMessage): readonly Exchange[] {
  const found = asMessage(message);
  if (found === undefined || typeof found.content === "string") return [];
  return found.content.flatMap((block, at): readonly Exchange[] => {
    if (block.type === "tool_use") {
      return [{ kind: "call", id: block.id ?? "", name: block.name ?? undefined, path: `content.${at}` }];
    }
    if (block.type !== "tool_result") return [];
    return [{ kind: "result", id: String(block.tool_use_id ?? ""), name: undefined, path: `content.${at}` }];
  });
}

function withIds(message: NativeMessage, ids: readonly (string | null)[]): NativeMessage {
  const found = asMessage(message);
  if (found === undefined || typeof found.content === "string") return message;
  let next = 0;
  const content = found.content.map((block) => {
    if (block.type === "tool_use") return { ...block, id: ids[next++] ?? null };
    return block.type === "tool_result" ? { ...block, tool_use_id: ids[next++] ?? null } : block;
  });
  return { ...message, content };
}

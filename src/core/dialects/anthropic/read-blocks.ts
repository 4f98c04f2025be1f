/** Reads the content blocks of a message, each by its kind. */

import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { SessionCompatibilityError } from "../../errors/errors.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import { append } from "../append.js";
import { itemPath } from "../item-path.js";
import type { Origin, PivotArguments, PivotCall, PivotPart, PivotResult, PivotText } from "../pivot.js";
import { placeholder } from "../placeholder.js";
import { type Artefact, dropped, textified } from "../report.js";
import type { BlockKind, ResultBlockKind } from "./block-kinds.js";
import { isCited, lostFields } from "./lost-fields.js";
import { readDocument, readImage, readSearchResult } from "./read-media.js";

/** A summary stands for everything before it, and is told to the model as the user's words. */
export interface Summary {
  readonly kind: "summary";
  readonly text: PivotText;
}
export interface ReadResult {
  readonly kind: "result";
  readonly result: PivotResult;
}
export type ReadItem = PivotPart | PivotCall | ReadResult | Summary;

export interface Read<Item = ReadItem> {
  readonly items: readonly Item[];
  readonly report: readonly ConversionReportEntry[];
}

/** `previous`: the block right before, for texts that go on without a break. */
type ReadBlock<Item = ReadItem> = (
  block: JsonObject,
  origin: Origin,
  previous: JsonObject | undefined,
) => Read<Item>;

/** What would leave a hole in what was said, if nothing took its place. */
const LEAVES_A_HOLE: ReadonlySet<string | undefined> = new Set(["file-ref", "media"]);

const BLOCKS: Readonly<Record<BlockKind, ReadBlock>> = {
  text: readText,
  image: readImage,
  document: readDocument,
  search_result: readSearchResult,
  thinking: dropAs("thinking"),
  redacted_thinking: dropAs("thinking"),
  tool_use: readCall,
  tool_result: readResult,
  server_tool_use: dropAs("server-tool"),
  web_search_tool_result: dropAs("server-tool"),
  web_fetch_tool_result: dropAs("server-tool"),
  code_execution_tool_result: dropAs("server-tool"),
  bash_code_execution_tool_result: dropAs("server-tool"),
  text_editor_code_execution_tool_result: dropAs("server-tool"),
  tool_search_tool_result: dropAs("server-tool"),
  container_upload: dropAs("file-ref"),
  mcp_tool_use: dropAs("server-tool"),
  mcp_tool_result: dropAs("server-tool"),
  mcp_tool_listing: dropAs("tool-definition"),
  advisor_tool_result: dropAs("server-tool"),
  compaction: readCompaction,
  fallback: dropAs("metadata"),
  tool_addition: dropAs("tool-definition"),
  tool_removal: dropAs("tool-definition"),
};

const RESULT_BLOCKS: Readonly<Record<ResultBlockKind, ReadBlock<PivotPart>>> = {
  text: readText,
  image: readImage,
  document: readDocument,
  search_result: readSearchResult,
  tool_reference: dropAs("tool-definition"),
  browser_state: readBrowserState,
};

/** The blocks of a message; `content` is its path. */
export function readBlocks(blocks: readonly JsonValue[], origin: Origin): Read {
  return readEach(blocks, origin, BLOCKS);
}

function readEach<Kind extends string, Item extends { readonly kind: string }>(
  blocks: readonly JsonValue[],
  origin: Origin,
  table: Readonly<Record<Kind, ReadBlock<Item>>>,
): Read<Item | PivotText> {
  const items: (Item | PivotText)[] = [];
  const report: ConversionReportEntry[] = [];
  for (const [index, block] of blocks.entries()) {
    const place = { index: origin.index, path: itemPath(origin.path, index) };
    const before = blocks[index - 1];
    const read = readOne(block, place, isJsonObject(before) ? before : undefined, table);
    append(report, read.report);
    for (const item of read.items) append(report, take(item, items));
  }
  return { items, report };
}

function readOne<Kind extends string, Item>(
  block: JsonValue,
  origin: Origin,
  previous: JsonObject | undefined,
  table: Readonly<Record<Kind, ReadBlock<Item>>>,
): Read<Item> {
  const kind = isJsonObject(block) ? block.type : undefined;
  if (isJsonObject(block) && typeof kind === "string" && Object.hasOwn(table, kind)) {
    return table[kind as Kind](block, origin, previous);
  }
  return { items: [], report: [dropped("metadata", origin, `unknown block kind ${String(kind)}`)] };
}

/** Blank text is left out, but not between the pieces of one sentence: there it is the space between words. */
function take<Item extends { readonly kind: string }>(
  item: Item | PivotText,
  items: (Item | PivotText)[],
): readonly ConversionReportEntry[] {
  if (!isText(item)) {
    items.push(item);
    return [];
  }
  if (item.text === "") return [];
  const last = items.at(-1);
  if (item.text.trim() !== "") items.push(item);
  else if (item.continues === true && last !== undefined && isText(last)) {
    items.splice(-1, 1, { ...last, text: last.text + item.text });
  } else return [dropped("empty", item.origin, "blank text")];
  return [];
}

function isText(item: { readonly kind: string }): item is PivotText {
  return item.kind === "text";
}

function readText(block: JsonObject, origin: Origin, previous: JsonObject | undefined): Read<PivotText> {
  const text = typeof block.text === "string" ? block.text : "";
  const continues = previous?.type === "text" && (isCited(previous) || isCited(block));
  return {
    items: [{ kind: "text", text, origin, ...(continues ? { continues } : {}) }],
    report: text.trim() === "" ? [] : lostFields(block, origin, ["type", "text"]),
  };
}

/** Nothing of it crosses; the entry says what it was: `web_search srvtoolu_1`. */
function dropAs(artefact: Artefact): ReadBlock<never> {
  return (block, origin) => {
    const names = [block.type === "server_tool_use" ? undefined : block.type, block.name];
    const ids = [block.id, block.tool_use_id, block.file_id, block.tool_name, block.mcp_server_name];
    const detail = [...names, ...ids].filter((part) => typeof part === "string" && part !== "").join(" ");
    return { items: [], report: [dropped(artefact, origin, detail)] };
  };
}

function readCall(block: JsonObject, origin: Origin): Read<PivotCall> {
  const id = idOf(block.id);
  if (typeof block.name !== "string" || block.name === "") {
    throw new SessionCompatibilityError(
      `A call without a name: ${id ?? "without an id"} at message ${origin.index}, ${origin.path}. Take the part before that turn with \`holdfast fork --at\`.`,
    );
  }
  const call: PivotCall = { kind: "call", origin, id, name: block.name, arguments: argumentsOf(block.input) };
  return { items: [call], report: lostFields(block, origin, ["type", "id", "name", "input"]) };
}

function argumentsOf(input: JsonValue | undefined): PivotArguments {
  if (isJsonObject(input)) return { type: "object", value: input };
  if (input === undefined || input === null) return { type: "object", value: {} };
  return { type: "text", text: typeof input === "string" ? input : JSON.stringify(input) };
}

function readResult(block: JsonObject, origin: Origin): Read<ReadResult> {
  const { items, report } = readResultContent(block.content, { ...origin, path: `${origin.path}.content` });
  const lost = lostFields(block, origin, ["type", "tool_use_id", "content", "is_error"]);
  const emptied =
    items.length === 0 && report.some(({ artefact }) => artefact !== "empty" && artefact !== "cache-marker");
  const filler = emptied ? placeholder(origin) : undefined;
  const result: PivotResult = {
    origin,
    callId: idOf(block.tool_use_id),
    parts: filler === undefined ? items : [filler.part],
    isError: block.is_error === true,
  };
  const added = filler === undefined ? [] : [filler.report];
  return { items: [{ kind: "result", result }], report: [...report, ...lost, ...added] };
}

function readResultContent(content: JsonValue | undefined, origin: Origin): Read<PivotPart> {
  if (Array.isArray(content)) return readEach(content, origin, RESULT_BLOCKS);
  const text = typeof content === "string" ? content : "";
  if (text === "") return { items: [], report: [] };
  if (text.trim() === "") return { items: [], report: [dropped("empty", origin, "blank text")] };
  return { items: [{ kind: "text", text, origin }], report: [] };
}

function readBrowserState(block: JsonObject, origin: Origin): Read<PivotText> {
  const { tabs, state_changes } = block;
  const text = JSON.stringify({ tabs, state_changes });
  const lost = lostFields(block, origin, ["type", "tabs", "state_changes"]);
  return {
    items: [{ kind: "text", text, origin }],
    report: [textified("tool-output", origin, "browser_state"), ...lost],
  };
}

function readCompaction(block: JsonObject, origin: Origin): Read<Summary> {
  const { content } = block;
  if (typeof content !== "string" || content.trim() === "") {
    return { items: [], report: [dropped("compaction", origin)] };
  }
  const summary: Summary = { kind: "summary", text: { kind: "text", text: content, origin } };
  const lost = lostFields(block, origin, ["type", "content"]);
  return { items: [summary], report: [textified("compaction", origin), ...lost] };
}

/** Whether what was dropped of a user's words leaves a hole that a placeholder must fill. */
export function leavesHole(report: readonly ConversionReportEntry[]): boolean {
  return report.some(({ kind, artefact }) => kind === "dropped" && LEAVES_A_HOLE.has(artefact));
}

function idOf(id: JsonValue | undefined): string | null {
  return typeof id === "string" && id !== "" ? id : null;
}

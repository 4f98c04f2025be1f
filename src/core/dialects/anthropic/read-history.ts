/** Reads an Anthropic history into the pivot. */

import type { ConversionReportEntry } from "../../envelope/envelope.js";
import type { JsonObject, JsonValue } from "../../json.js";
import { append } from "../append.js";
import type {
  Origin,
  PivotCall,
  PivotEntry,
  PivotPart,
  PivotResult,
  PivotText,
  ReadHistory,
  ReadRange,
} from "../pivot.js";
import { placeholder } from "../placeholder.js";
import { dropped, moved } from "../report.js";
import { namesOfLost } from "./lost-fields.js";
import { leavesHole, type Read, type ReadItem, readBlocks } from "./read-blocks.js";

type ReadMessage = (items: readonly ReadItem[], origin: Origin, plain: boolean) => Read<PivotEntry>;

/**
 * Neighbouring messages of one role stay apart; the API would read them as one.
 *
 * @throws SessionCompatibilityError for a call without a name.
 */
export function readHistory(messages: readonly JsonObject[], range?: ReadRange): ReadHistory {
  const entries: PivotEntry[] = [];
  const report: ConversionReportEntry[] = [];
  let leading = range?.leading ?? true;
  for (let index = range?.first ?? 0; index < (range?.end ?? messages.length); index++) {
    const message = messages[index] ?? {};
    const read = readMessage(message, { index, path: "" }, leading);
    if (read.items.some(({ kind }) => kind !== "system")) leading = false;
    append(entries, read.items);
    append(report, read.report);
  }
  return { entries, report };
}

function readMessage(message: JsonObject, origin: Origin, leading: boolean): Read<PivotEntry> {
  const { role, content } = message;
  const extra = namesOfLost(message, ["role", "content"]);
  const inside = readContent(content, origin);
  const read = readerOf(role, leading)(inside.items, origin, typeof content === "string");
  const isSilent = extra.length + inside.report.length + read.report.length === 0;
  if (isSilent && read.items.length > 0) return { items: read.items, report: inside.report };
  const lost = extra.length === 0 ? [] : [dropped("metadata", origin, extra.join(", "))];
  const report = [...inside.report, ...read.report];
  if (read.items.length > 0) return { items: read.items, report: [...lost, ...report] };
  const hole = role === "user" && leavesHole(report) ? placeholder(origin) : undefined;
  if (hole !== undefined) {
    const items: readonly PivotEntry[] = [{ kind: "user", origin, parts: [hole.part] }];
    return { items, report: [...lost, ...report, hole.report] };
  }
  const empty =
    report.length > 0 ? [] : [dropped("empty", origin, `${String(role)} message without content`)];
  return { items: [], report: [...lost, ...report, ...empty] };
}

function readContent(content: JsonValue | undefined, origin: Origin): Read {
  const place = { ...origin, path: "content" };
  if (Array.isArray(content)) return readBlocks(content, place);
  if (typeof content !== "string" || content === "") return { items: [], report: [] };
  if (content.trim() === "") return { items: [], report: [dropped("empty", place, "blank text")] };
  return { items: [{ kind: "text", text: content, origin: place }], report: [] };
}

function readerOf(role: JsonValue | undefined, leading: boolean): ReadMessage {
  if (role === "user") return readUser;
  if (role === "assistant") return readAssistant;
  if (role === "system") return (items, origin) => readSystem(items, origin, leading);
  return (_items, origin) => ({
    items: [],
    report: [dropped("metadata", origin, `message of role ${String(role)}`)],
  });
}

/** What the user said beside the results follows them. */
function readUser(items: readonly ReadItem[], origin: Origin, plain: boolean): Read<PivotEntry> {
  if (items.length > 0 && items.every(isPart)) return { items: [user(origin, items, plain)], report: [] };
  const results = resultsIn(items);
  const parts = partsIn(items);
  const lastResult = items.findLastIndex(({ kind }) => kind === "result");
  const before = lastResult > 0 ? partsIn(items.slice(0, lastResult)) : [];
  const entries: readonly PivotEntry[] = [
    ...(results.length > 0 ? [{ kind: "results", origin, results } as const] : []),
    ...(parts.length > 0 ? [user(origin, parts, plain)] : []),
  ];
  return {
    items: entries,
    report: [
      ...before.map((part) => moved("order", part.origin, "after the results")),
      ...callsIn(items).map((call) => dropped("metadata", call.origin, "a call in a user message")),
    ],
  };
}

function isPart(item: ReadItem): item is PivotPart {
  return item.kind === "text" || item.kind === "media";
}

function user(origin: Origin, parts: readonly PivotPart[], plain: boolean): PivotEntry {
  return plain ? { kind: "user", origin, parts, plain } : { kind: "user", origin, parts };
}

function readAssistant(items: readonly ReadItem[], origin: Origin): Read<PivotEntry> {
  if (items.length > 0 && items.every((item) => isPart(item) || item.kind === "call")) {
    return { items: [{ kind: "assistant", origin, parts: items }], report: [] };
  }
  const summaries = items.flatMap((item) => (item.kind === "summary" ? [item.text] : []));
  const results = resultsIn(items);
  const parts = items.filter((item) => item.kind !== "summary" && item.kind !== "result");
  return {
    items: [
      ...summaries.map((text) => ({ kind: "user", origin: text.origin, parts: [text] }) as const),
      ...(parts.length > 0 ? [{ kind: "assistant", origin, parts } as const] : []),
      ...(results.length > 0 ? [{ kind: "results", origin, results } as const] : []),
    ],
    report: [],
  };
}

function readSystem(items: readonly ReadItem[], origin: Origin, leading: boolean): Read<PivotEntry> {
  const texts = items.filter((item): item is PivotText => item.kind === "text");
  const others = items.filter((item) => item.kind !== "text").map(originOf);
  const text = texts.reduce((all, part) => joined(all, part), "");
  return {
    items: texts.length > 0 ? [{ kind: "system", origin, text, leading }] : [],
    report: others.map((place) => dropped("metadata", place, "no text, in a system message")),
  };
}

function joined(all: string, { text, continues }: PivotText): string {
  return all === "" || continues === true ? all + text : `${all}\n${text}`;
}

function originOf(item: ReadItem): Origin {
  if (item.kind === "result") return item.result.origin;
  return item.kind === "summary" ? item.text.origin : item.origin;
}

function partsIn(items: readonly ReadItem[]): readonly PivotPart[] {
  const parts: PivotPart[] = [];
  for (const item of items) {
    if (item.kind === "text" || item.kind === "media") parts.push(item);
    else if (item.kind === "summary") parts.push(item.text);
  }
  return parts;
}

function resultsIn(items: readonly ReadItem[]): readonly PivotResult[] {
  const results: PivotResult[] = [];
  for (const item of items) if (item.kind === "result") results.push(item.result);
  return results;
}

function callsIn(items: readonly ReadItem[]): readonly PivotCall[] {
  return items.filter((item) => item.kind === "call");
}

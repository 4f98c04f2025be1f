/** Writes a repaired history as Anthropic messages. */

import type { ConversionReportEntry } from "../../envelope/envelope.js";
import type { JsonObject } from "../../json.js";
import { append } from "../append.js";
import { lostBreakpoint } from "../cache-breakpoint.js";
import type {
  PivotSystem,
  PivotUser,
  RepairedAssistant,
  RepairedEntry,
  RepairedResults,
  WriteContext,
  WrittenHistory,
  WrittenMessage,
} from "../pivot.js";
import { placeholder } from "../placeholder.js";
import { placesOf } from "../places.js";
import { added, changed, moved } from "../report.js";
import type { Block } from "./wire.js";
import { leavesHole, writeParts, writeResult } from "./write-blocks.js";

interface Written {
  readonly messages: readonly WrittenMessage[];
  readonly report: readonly ConversionReportEntry[];
}

/** Stands before a history that the assistant opened: the API wants the user to speak first. */
export const USER_TURN = "[the conversation starts here]";

const NOTHING: Written = { messages: [], report: [] };

/** System text leaves the history for `system`, whatever the model: not every model takes it in the list. */
export function writeHistory(entries: Iterable<RepairedEntry>, context: WriteContext): WrittenHistory {
  const messages: WrittenMessage[] = [];
  const report: ConversionReportEntry[] = [];
  const system = context.system === null ? [] : [context.system];
  for (const entry of entries) {
    if (entry.kind === "system") system.push(entry.text);
    const written = writeEntry(entry);
    append(messages, written.messages);
    append(report, written.report);
  }
  const opened = openedByUser(messages);
  const closed = closedTidily(opened.messages);
  return {
    messages: closed.messages,
    system: joinedSystem(system),
    report: [...opened.report, ...report, ...closed.report],
  };
}

function writeEntry(entry: RepairedEntry): Written {
  switch (entry.kind) {
    case "system":
      return writeSystem(entry);
    case "user":
      return writeUser(entry);
    case "assistant":
      return writeAssistant(entry);
    case "results":
      return writeResults(entry);
  }
}

function writeSystem({ head, origin, parts }: PivotSystem): Written {
  const lost = parts?.flatMap(lostBreakpoint) ?? [];
  if (head === true) return lost.length === 0 ? NOTHING : { messages: [], report: lost };
  return { messages: [], report: [moved("system", origin, "to system"), ...lost] };
}

function joinedSystem(texts: readonly string[]): string | null {
  const said = texts.filter((text) => text.trim() !== "").map((text) => text.toWellFormed());
  return said.length === 0 ? null : said.join("\n\n");
}

function writeUser({ parts, origin, plain }: PivotUser): Written {
  const { blocks, report } = writeParts(parts, "user");
  if (blocks.length > 0) {
    const [only] = blocks;
    const text = plain === true && blocks.length === 1 ? only?.text : undefined;
    return { messages: [written({ role: "user", content: text ?? blocks }, [origin.index])], report };
  }
  if (!leavesHole(report)) return { messages: [], report };
  const filler = placeholder(origin);
  const content = [{ type: "text", text: filler.part.text }];
  return {
    messages: [written({ role: "user", content }, [origin.index])],
    report: [...report, filler.report],
  };
}

/** An assistant whose media all went has said nothing: a placeholder would be copied by the model. */
function writeAssistant({ parts, origin }: RepairedAssistant): Written {
  const { blocks, report } = writeParts(parts, "assistant");
  if (blocks.length === 0) return { messages: [], report };
  const from = ascending(placesOf(parts, origin.index));
  const [only] = blocks;
  const text = blocks.length === 1 ? only?.text : undefined;
  return { messages: [written({ role: "assistant", content: text ?? blocks }, from)], report };
}

/** All results of a round stand alone in one message; what the user said after them keeps its own, which the API joins. */
function writeResults({ results, origin }: RepairedResults): Written {
  const content: Block[] = [];
  const afterwards: Block[] = [];
  const report: ConversionReportEntry[] = [];
  for (const result of results) {
    const each = writeResult(result);
    append(content, each.blocks);
    append(afterwards, each.afterwards);
    append(report, each.report);
  }
  const from = results.length === 0 ? [origin.index] : ascending(placesOf(results));
  return {
    messages: [
      written({ role: "user", content }, from),
      ...(afterwards.length === 0 ? [] : [written({ role: "user", content: afterwards }, from)]),
    ],
    report,
  };
}

function written(message: JsonObject, from: readonly number[]): WrittenMessage {
  return { message, from };
}

function ascending(indices: readonly number[]): readonly number[] {
  return indices.length < 2 ? indices : indices.toSorted((one, other) => one - other);
}

function openedByUser(messages: readonly WrittenMessage[]): Written {
  const [first] = messages;
  if (first === undefined || first.message.role === "user") return { messages, report: [] };
  const origin = { index: first.from[0] ?? 0, path: "" };
  const opening = written({ role: "user", content: USER_TURN }, []);
  return {
    messages: [opening, ...messages],
    report: [added("user-turn", origin, "the history began with the assistant")],
  };
}

/** Where a last assistant turn is taken, it may not end in whitespace. */
function closedTidily(messages: readonly WrittenMessage[]): Written {
  const last = messages.at(-1);
  if (last === undefined || last.message.role !== "assistant") return { messages, report: [] };
  const tidy = trimmedContent(last.message.content as string | readonly Block[]);
  if (tidy === undefined) return { messages, report: [] };
  const origin = { index: last.from.at(-1) ?? 0, path: "" };
  const message = written({ ...last.message, content: tidy }, last.from);
  return {
    messages: [...messages.slice(0, -1), message],
    report: [changed("text", origin, "trailing whitespace cut from the last assistant turn")],
  };
}

/** Undefined where nothing was to be cut. */
function trimmedContent(content: string | readonly Block[]): string | readonly Block[] | undefined {
  if (typeof content === "string") return content === content.trimEnd() ? undefined : content.trimEnd();
  const last = content.at(-1);
  if (typeof last?.text !== "string" || last.text === last.text.trimEnd()) return undefined;
  return [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }];
}

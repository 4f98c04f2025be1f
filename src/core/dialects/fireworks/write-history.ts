/** The neutral pivot as Chat Completions messages that Fireworks takes. */

import type { ConversionReportEntry } from "../../envelope/envelope.js";
import type { JsonObject } from "../../json.js";
import { append } from "../append.js";
import type {
  PivotSystem,
  PivotText,
  PivotUser,
  RepairedAssistant,
  RepairedCall,
  RepairedEntry,
  WriteContext,
  WrittenHistory,
  WrittenMessage,
} from "../pivot.js";
import { placeholder } from "../placeholder.js";
import { placesOf } from "../places.js";
import { dropped, moved } from "../report.js";
import type { ContentPart } from "./wire.js";
import { writeArguments } from "./write-arguments.js";
import { describe, joinTexts, writePart } from "./write-parts.js";
import { writeResults } from "./write-results.js";

interface Written {
  readonly messages: readonly WrittenMessage[];
  readonly report: readonly ConversionReportEntry[];
}

type EntryWriters = {
  readonly [Kind in RepairedEntry["kind"]]: (
    entry: Extract<RepairedEntry, { readonly kind: Kind }>,
  ) => Written;
};

const WRITERS: EntryWriters = {
  system: ({ leading, origin }) => ({
    messages: [],
    report: leading ? [] : [moved("system", origin, "to the leading system message")],
  }),
  user: writeUser,
  assistant: writeAssistant,
  results: writeResults,
};

export function writeHistory(entries: Iterable<RepairedEntry>, { system }: WriteContext): WrittenHistory {
  const inside: PivotSystem[] = [];
  const messages: WrittenMessage[] = [];
  const report: ConversionReportEntry[] = [];
  for (const entry of entries) {
    if (entry.kind === "system") inside.push(entry);
    const written = writeEntry(entry);
    append(messages, written.messages);
    append(report, written.report);
  }
  const head = writeSystem(inside, system);
  return { messages: head.length === 0 ? messages : [...head, ...messages], system: null, report };
}

function writeEntry(entry: RepairedEntry): Written {
  switch (entry.kind) {
    case "system":
      return WRITERS.system(entry);
    case "user":
      return WRITERS.user(entry);
    case "assistant":
      return WRITERS.assistant(entry);
    case "results":
      return WRITERS.results(entry);
  }
}

/**
 * Chat templates of several models know system text at the beginning only, and in one message. Later text moves into it,
 * but where it stood the list can still be cut.
 */
function writeSystem(inside: readonly PivotSystem[], beside: string | null): readonly WrittenMessage[] {
  const texts = [beside ?? "", ...inside.map(({ text }) => text)].filter((text) => text !== "");
  if (texts.length === 0) return [];
  const message = { role: "system", content: texts.join("\n\n").toWellFormed() };
  const leading = inside.filter((entry) => entry.leading);
  return [{ message, from: leading.map(({ origin }) => origin.index) }];
}

function writeUser({ parts, origin }: PivotUser): Written {
  const report: ConversionReportEntry[] = [];
  const content: ContentPart[] = [];
  for (const source of parts) {
    const written = writePart(source);
    if (written.part !== undefined) content.push(written.part);
    append(report, written.report);
  }
  const from = placesOf(parts, origin.index);
  if (content.length > 0) {
    return { messages: [{ message: { role: "user", content: compact(content) }, from }], report };
  }
  const stands = placeholder(origin);
  return {
    messages: [{ message: { role: "user", content: stands.part.text }, from }],
    report: [...report, stands.report],
  };
}

/** One text alone is a plain string; every model takes it. */
function compact(content: readonly ContentPart[]): string | readonly ContentPart[] {
  const [only, ...others] = content;
  return others.length === 0 && typeof only?.text === "string" ? only.text : content;
}

/** Text is one plain string, since models imitate a list of parts; media that a model made have no place here. */
function writeAssistant({ parts, origin }: RepairedAssistant): Written {
  const texts: PivotText[] = [];
  const calls: JsonObject[] = [];
  const report: ConversionReportEntry[] = [];
  for (const part of parts) {
    if (part.kind === "text") {
      texts.push(part);
    } else if (part.kind === "media") {
      report.push(dropped("media", part.origin, `${describe(part)} in an assistant turn`));
    } else {
      const { call, report: entries } = writeCall(part);
      calls.push(call);
      append(report, entries);
    }
  }
  if (texts.length === 0 && calls.length === 0) return { messages: [], report };
  const message = {
    role: "assistant",
    content: texts.length === 0 ? null : joinTexts(texts),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return { messages: [{ message, from: placesOf(parts, origin.index) }], report };
}

function writeCall(call: RepairedCall): { call: JsonObject; report: readonly ConversionReportEntry[] } {
  const { text, report } = writeArguments(call);
  return { call: { id: call.id, type: "function", function: { name: call.name, arguments: text } }, report };
}

/** The neutral pivot, written as Gemini's contents. */

import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { append } from "../append.js";
import { lostBreakpoint } from "../cache-breakpoint.js";
import type {
  Origin,
  PivotPart,
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
import { added, dropped, moved } from "../report.js";
import { STAND_IN_SIGNATURE } from "./stand-in-signature.js";
import type { Part } from "./wire.js";
import { writeCall } from "./write-call.js";
import { writeMedia } from "./write-media.js";
import { writeResults } from "./write-results.js";

const OPENING = "[conversation start]";

type SpokenEntry = Exclude<RepairedEntry, { readonly kind: "system" }>;
type Written = Omit<WrittenHistory, "system">;

export function writeHistory(entries: Iterable<RepairedEntry>, context: WriteContext): WrittenHistory {
  const system = [context.system ?? ""];
  const messages: WrittenMessage[] = [];
  const report: ConversionReportEntry[] = [];
  const spoken = (function* (): Generator<SpokenEntry, void, undefined> {
    for (const entry of entries) {
      if (entry.kind !== "system") {
        yield entry;
        continue;
      }
      system.push(entry.text);
      report.push(moved("system", entry.origin, "to systemInstruction"));
      if (entry.parts !== undefined) append(report, entry.parts.flatMap(lostBreakpoint));
    }
  })();
  for (const entry of foldedTurns(spoken)) {
    const written = writeEntry(entry);
    append(messages, written.messages);
    append(report, written.report);
  }
  const opening = openingFor(messages[0]);
  return {
    messages: opening.messages.length === 0 ? messages : [...opening.messages, ...messages],
    system: joinedSystem(system),
    report: opening.report.length === 0 ? report : [...opening.report, ...report],
  };
}

function joinedSystem(texts: readonly string[]): string | null {
  const said = texts.filter((text) => text.trim() !== "").map((text) => text.toWellFormed());
  return said.length === 0 ? null : said.join("\n\n");
}

/** Calls must come right after the user or after results: what the assistant said just before joins them. */
function* foldedTurns(entries: Iterable<SpokenEntry>): Generator<SpokenEntry, void, undefined> {
  let said: RepairedAssistant[] = [];
  for (const entry of entries) {
    if (entry.kind === "assistant" && !entry.parts.some(isCall)) {
      said.push(entry);
      continue;
    }
    if (entry.kind === "assistant") yield joinedTurn([...said, entry]);
    else {
      yield* said;
      yield entry;
    }
    if (said.length > 0) said = [];
  }
  yield* said;
}

function joinedTurn(turns: readonly RepairedAssistant[]): RepairedAssistant {
  const [first, ...others] = turns;
  if (first === undefined || others.length === 0) return first as RepairedAssistant;
  return { ...first, parts: turns.flatMap(({ parts }) => parts) };
}

/** The wire wants the user to speak first. */
function openingFor(first: WrittenMessage | undefined): Written {
  if (first === undefined || first.message.role === "user") return { messages: [], report: [] };
  return {
    messages: [{ message: { role: "user", parts: [{ text: OPENING }] }, from: [] }],
    report: [added("user-turn", { index: first.from[0] ?? 0, path: "" })],
  };
}

function writeEntry(entry: SpokenEntry): Written {
  switch (entry.kind) {
    case "user":
      return writeUser(entry);
    case "assistant":
      return writeAssistant(entry);
    case "results":
      return writeResults(entry);
  }
}

function writeUser({ origin, parts: given }: PivotUser): Written {
  const parts: Part[] = [];
  const report: ConversionReportEntry[] = [];
  for (const part of given) {
    append(report, lostBreakpoint(part));
    if (part.kind === "text") {
      addText(parts, part.text);
      continue;
    }
    const written = writeMedia(part);
    append(report, written.report);
    addText(parts, written.text);
    if (written.part !== undefined) parts.push(written.part);
  }
  if (parts.length === 0 && report.length > 0) {
    const stand = placeholder(origin);
    parts.push({ text: stand.part.text });
    report.push(stand.report);
  }
  return { messages: contentOf("user", parts, placesOf(given, origin.index)), report };
}

/** A turn of which nothing is left vanishes: models copy what stands in for one. */
function writeAssistant({ origin, parts: given }: RepairedAssistant): Written {
  const parts: Part[] = [];
  const report: ConversionReportEntry[] = [];
  let signed = false;
  for (const part of given) {
    if (part.kind === "text") addText(parts, part.text);
    else if (part.kind === "media") {
      report.push(dropped("media", part.origin, `${part.mime_type ?? "medium"} in an assistant turn`));
    } else {
      const call = writeCall(part);
      if (!signed) report.push(sentinelAt(part.origin, parts.length));
      parts.push(signed ? call.part : { ...call.part, thoughtSignature: STAND_IN_SIGNATURE });
      signed = true;
      append(report, call.report);
    }
  }
  return { messages: contentOf("model", parts, placesOf(given, origin.index)), report };
}

/** The path is that of the converted content: the source has no such place. */
function sentinelAt({ index }: Origin, position: number): ConversionReportEntry {
  return added("sentinel", { index, path: `parts[${position}].thoughtSignature` });
}

function addText(parts: Part[], text: string | undefined): void {
  if (text !== undefined && text.trim() !== "") parts.push({ text: text.toWellFormed() });
}

function contentOf(
  role: "user" | "model",
  parts: readonly Part[],
  from: readonly number[],
): readonly WrittenMessage[] {
  return parts.length === 0 ? [] : [{ message: { role, parts }, from }];
}

function isCall(part: PivotPart | RepairedCall): boolean {
  return part.kind === "call";
}

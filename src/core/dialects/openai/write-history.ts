/** Writes a Responses history: items without ids, the assistant's text as plain strings, each output right after its calls. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { append } from "../append.js";
import type {
  PivotPart,
  PivotSystem,
  PivotText,
  PivotUser,
  RepairedAssistant,
  RepairedCall,
  RepairedEntry,
  RepairedResult,
  RepairedResults,
  WriteContext,
  WrittenHistory,
  WrittenMessage,
} from "../pivot.js";
import { placeholder } from "../placeholder.js";
import { placesOf } from "../places.js";
import { NO_RESULT } from "../repair.js";
import { dropped } from "../report.js";
import { isMarked, marked, withNewestBreakpoints } from "./cache-breakpoints.js";
import type { ContentPart } from "./wire.js";
import { argumentsText } from "./write-arguments.js";
import { described, writeMedia } from "./write-media.js";

type Written = Pick<WrittenHistory, "messages" | "report">;

const WRITERS = {
  system: writeSystem,
  user: writeUser,
  assistant: writeAssistant,
  results: writeResults,
} as const satisfies { readonly [Kind in RepairedEntry["kind"]]: (entry: never) => Written };

/** System text that came beside the list becomes its first item; all other keeps its place. */
export function writeHistory(entries: Iterable<RepairedEntry>, context: WriteContext): WrittenHistory {
  const messages: WrittenMessage[] = [];
  const report: ConversionReportEntry[] = [];
  if (context.system !== null && context.system.trim() !== "") {
    messages.push({ message: developer(context.system), from: [] });
  }
  for (const entry of entries) {
    const write = WRITERS[entry.kind] as (entry: RepairedEntry) => Written;
    const written = write(entry);
    append(messages, written.messages);
    append(report, written.report);
  }
  const kept = withNewestBreakpoints(messages);
  append(report, kept.report);
  return { messages: kept.messages, system: null, report };
}

export function developer(text: string): WrittenMessage["message"] {
  return { role: "developer", content: text.toWellFormed() };
}

function writeSystem({ text, origin, parts }: PivotSystem): Written {
  const message =
    parts === undefined ? developer(text) : { role: "developer", content: writeParts(parts).content };
  return { messages: [{ message, from: [origin.index] }], report: [] };
}

function writeUser({ parts, origin }: PivotUser): Written {
  const { content, report } = writeParts(parts);
  if (content.length === 0) {
    const stand = placeholder(origin);
    content.push(inputText(stand.part.text));
    report.push(stand.report);
  }
  return { messages: [{ message: { role: "user", content }, from: [origin.index] }], report };
}

function writeAssistant({ parts }: RepairedAssistant): Written {
  const messages: WrittenMessage[] = [];
  const report: ConversionReportEntry[] = [];
  let texts: PivotText[] = [];
  const flush = (): void => {
    if (texts.length > 0) messages.push(assistantMessage(texts));
    texts = [];
  };
  for (const part of parts) {
    if (part.kind === "text") texts.push(part);
    else if (part.kind === "media")
      report.push(dropped("media", part.origin, `${described(part)} in an assistant turn`));
    else {
      flush();
      messages.push(functionCall(part));
    }
  }
  flush();
  return { messages, report };
}

function assistantMessage(texts: readonly PivotText[]): WrittenMessage {
  const from = placesOf(texts);
  return { message: { role: "assistant", content: joined(texts) }, from };
}

function functionCall({ id, name, arguments: given, custom, origin }: RepairedCall): WrittenMessage {
  const message =
    custom === undefined
      ? { type: "function_call", call_id: id, name, arguments: argumentsText(given) }
      : { type: "custom_tool_call", call_id: id, name, input: custom.toWellFormed() };
  return { message, from: [origin.index] };
}

function writeResults({ results }: RepairedResults): Written {
  const messages: WrittenMessage[] = [];
  const report: ConversionReportEntry[] = [];
  for (const result of results) {
    const written = writeResult(result);
    messages.push(written.message);
    append(report, written.report);
  }
  return { messages, report };
}

interface WrittenResult {
  readonly message: WrittenMessage;
  readonly report: readonly ConversionReportEntry[];
}

/** The wire has no flag for an error: the output itself has to say it. */
function writeResult(result: RepairedResult): WrittenResult {
  const { origin, callId, parts, isError } = result;
  const written = writeParts(parts);
  const { report } = written;
  if (isError && !isSynthetic(result)) report.push(dropped("error-flag", origin, callId));
  let output = outputOf(written.content);
  if (parts.length > 0 && written.content.length === 0) {
    const stand = placeholder(origin);
    output = stand.part.text;
    report.push(stand.report);
  }
  const type = result.custom === true ? "custom_tool_call_output" : "function_call_output";
  const message = { type, call_id: callId, output };
  return { message: { message, from: [origin.index] }, report };
}

/** A result that the repair pass made: what it had to say is reported already. */
function isSynthetic({ parts }: RepairedResult): boolean {
  const [only] = parts;
  return parts.length === 1 && only?.kind === "text" && only.text === NO_RESULT;
}

/** A string where all is text, which every model takes. */
function outputOf(content: readonly ContentPart[]): string | readonly ContentPart[] {
  if (content.some((part) => part.type !== "input_text" || isMarked(part))) return content;
  return content.map(({ text }) => text ?? "").join("\n");
}

/** Made for one message, which may add to it. */
interface WrittenParts {
  readonly content: ContentPart[];
  readonly report: ConversionReportEntry[];
}

function writeParts(parts: readonly PivotPart[]): WrittenParts {
  const content: ContentPart[] = [];
  const report: ConversionReportEntry[] = [];
  for (const part of parts) {
    if (part.kind === "text") {
      const last = content.at(-1);
      const joins = part.continues === true && last?.type === "input_text";
      const text = inputText(joins ? `${last.text ?? ""}${part.text}` : part.text);
      if (joins) content[content.length - 1] = text;
      else content.push(marked(text, part));
      continue;
    }
    const written = writeMedia(part);
    if (written.part !== undefined) content.push(marked(written.part, part));
    append(report, written.report);
  }
  return { content, report };
}

function inputText(text: string): ContentPart {
  return { type: "input_text", text: text.toWellFormed() };
}

/** Texts on lines of their own, where one does not continue the one before it. */
function joined(texts: readonly PivotText[]): string {
  let all = "";
  for (const [index, { text, continues }] of texts.entries()) {
    all += index === 0 || continues === true ? text : `\n${text}`;
  }
  return all.toWellFormed();
}

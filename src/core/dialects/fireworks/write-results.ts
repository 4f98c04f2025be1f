/** The results of one round as tool messages, which hold text only. */

import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { append } from "../append.js";
import type { PivotMedia, RepairedResult, RepairedResults, WrittenMessage } from "../pivot.js";
import { placeholder } from "../placeholder.js";
import { NO_RESULT } from "../repair.js";
import { dropped, moved } from "../report.js";
import type { ContentPart } from "./wire.js";
import { joinTexts, textPart, writePart } from "./write-parts.js";

interface Written {
  readonly messages: readonly WrittenMessage[];
  readonly report: readonly ConversionReportEntry[];
}

/** What can be seen follows in one user message after all results of the round: servers refuse it inside of them. */
export function writeResults({ results }: RepairedResults): Written {
  const messages: WrittenMessage[] = [];
  const report: ConversionReportEntry[] = [];
  const content: ContentPart[] = [];
  const from: number[] = [];
  for (const result of results) {
    const { message, index, shown, report: entries } = writeResult(result);
    messages.push(message);
    append(report, entries);
    if (shown.length > 0 && from.at(-1) !== index) from.push(index);
    append(content, shown);
  }
  if (content.length > 0) messages.push({ message: { role: "user", content }, from: [...new Set(from)] });
  return { messages, report };
}

interface WrittenResult {
  readonly message: WrittenMessage;
  readonly index: number;
  /** Labels and media for the user message after the round. */
  readonly shown: readonly ContentPart[];
  readonly report: readonly ConversionReportEntry[];
}

function writeResult(result: RepairedResult): WrittenResult {
  const { callId, origin, parts } = result;
  const texts: { text: string; continues?: true }[] = [];
  const shown: ContentPart[] = [];
  const kinds = new Set<string>();
  const report: ConversionReportEntry[] = [];
  for (const source of parts) {
    const { part, report: entries } = writePart(source);
    append(report, entries);
    if (part === undefined) continue;
    if (typeof part.text === "string") {
      texts.push({
        text: part.text,
        ...(source.kind === "text" && source.continues ? { continues: true } : {}),
      });
    } else if (source.kind === "media") {
      const kind = kindOf(source);
      kinds.add(kind);
      shown.push(textPart(`${kind} from tool call ${callId}`), part);
      report.push(moved("media", source.origin, "to a user message after the round"));
    }
  }
  if (result.isError && !isSynthetic(result)) report.push(dropped("error-flag", origin));
  const left = texts.length > 0 ? { text: joinTexts(texts), report: [] } : standIn(result, kinds);
  append(report, left.report);
  const message = { role: "tool", tool_call_id: callId, content: left.text };
  return { message: { message, from: [origin.index] }, index: origin.index, shown, report };
}

function kindOf({ mime_type }: PivotMedia): string {
  return mime_type?.startsWith("video/") ? "Video" : "Image";
}

/** What a result without text says: where its media went, or that there was something; nothing where it was empty. */
function standIn(
  { parts, origin }: RepairedResult,
  kinds: ReadonlySet<string>,
): { readonly text: string; readonly report: readonly ConversionReportEntry[] } {
  const [kind] = kinds;
  if (kind !== undefined) {
    return {
      text: `[${kinds.size > 1 ? "media" : kind.toLowerCase()} in the next user message]`,
      report: [],
    };
  }
  if (parts.length === 0) return { text: "", report: [] };
  const { part, report } = placeholder(origin);
  return { text: part.text, report: [report] };
}

/** The stand-in of the repair pass never failed: nothing is lost with its mark. */
function isSynthetic({ parts: [part, ...others] }: RepairedResult): boolean {
  return others.length === 0 && part?.kind === "text" && part.text === NO_RESULT;
}

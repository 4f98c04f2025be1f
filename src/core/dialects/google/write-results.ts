/** The results of a round: one content of responses only, and their media in a content after it. */

import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { mediaKind } from "../../media/media-kind.js";
import { append } from "../append.js";
import { lostBreakpoint } from "../cache-breakpoint.js";
import type {
  PivotMedia,
  RepairedResult,
  RepairedResults,
  WrittenHistory,
  WrittenMessage,
} from "../pivot.js";
import { placeholder } from "../placeholder.js";
import { placesOf } from "../places.js";
import { moved } from "../report.js";
import { isMadeId } from "./tools.js";
import type { Part } from "./wire.js";
import { writeMedia } from "./write-media.js";

export function writeResults({ origin, results }: RepairedResults): Omit<WrittenHistory, "system"> {
  const responses: Part[] = [];
  const media: Part[] = [];
  const report: ConversionReportEntry[] = [];
  for (const result of results) {
    const written = writeResult(result);
    responses.push(written.response);
    append(media, written.media);
    append(report, written.report);
  }
  const from = placesOf(results, origin.index);
  const messages: WrittenMessage[] = [{ message: { role: "user", parts: responses }, from }];
  if (media.length > 0) messages.push({ message: { role: "user", parts: media }, from });
  return { messages, report };
}

interface WrittenResult {
  readonly response: Part;
  /** Each medium behind a label that says which call it came from. */
  readonly media: readonly Part[];
  readonly report: readonly ConversionReportEntry[];
}

function writeResult(result: RepairedResult): WrittenResult {
  const report: ConversionReportEntry[] = [];
  const media: Part[] = [];
  const notes: string[] = [];
  let text = "";
  for (const part of result.parts) {
    append(report, lostBreakpoint(part));
    const written = part.kind === "media" ? writeMedia(part) : { text: part.text, report: [] };
    append(report, written.report);
    const continues = text === "" || (part.kind === "text" && part.continues === true);
    if (written.text) text += `${continues ? "" : "\n"}${written.text}`;
    if (part.kind !== "media" || written.part === undefined) continue;
    const kind = kindOf(part);
    media.push({ text: `${kind} from tool call ${result.callId}` }, written.part);
    notes.push(`[${kind.toLowerCase()} in the next user message]`);
    report.push(moved("media", part.origin, "to a user message after the round"));
  }
  if (text === "" && notes.length === 0 && report.length > 0) {
    const stand = placeholder(result.origin);
    text = stand.part.text;
    report.push(stand.report);
  }
  return { response: response(result, text === "" ? notes.join("\n") : text), media, report };
}

function response({ callId: id, name, isError }: RepairedResult, text: string): Part {
  const said = text.toWellFormed();
  const known = isMadeId(id) ? {} : { id };
  return { functionResponse: { ...known, name, response: isError ? { error: said } : { output: said } } };
}

function kindOf({ mime_type }: PivotMedia): string {
  const kind = mediaKind(mime_type ?? "image/*");
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}

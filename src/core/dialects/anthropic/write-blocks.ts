/** Spells out what a message is made of: texts, media, calls and results. */

import type { ConversionReportEntry } from "../../envelope/envelope.js";
import type { JsonObject } from "../../json.js";
import { append } from "../append.js";
import { lostBreakpoint } from "../cache-breakpoint.js";
import type { PivotMedia, PivotPart, PivotText, RepairedCall, RepairedResult } from "../pivot.js";
import { placeholder } from "../placeholder.js";
import { dropped, moved } from "../report.js";
import type { Block } from "./wire.js";
import { writeInput } from "./write-arguments.js";
import { type Place, writeMedia } from "./write-media.js";

export interface WrittenBlocks {
  readonly blocks: readonly Block[];
  readonly report: readonly ConversionReportEntry[];
}

export interface WrittenResult extends WrittenBlocks {
  /** What an error may not hold, with a line that says whose it is; for a user message after the round. */
  readonly afterwards: readonly Block[];
}

export function writeParts(parts: readonly (PivotPart | RepairedCall)[], place: Place): WrittenBlocks {
  const blocks: Block[] = [];
  const report: ConversionReportEntry[] = [];
  for (const part of parts) {
    if (part.kind !== "call") append(report, lostBreakpoint(part));
    if (part.kind === "text") append(report, writeText(part, blocks));
    else {
      const written = part.kind === "call" ? writeCall(part) : writeMedia(part, place);
      if (written.block !== undefined) blocks.push(written.block);
      append(report, written.report);
    }
  }
  return { blocks, report };
}

/** A text that goes on without a break joins the one before it. */
function writeText(
  { text, continues, origin }: PivotText,
  blocks: Block[],
): readonly ConversionReportEntry[] {
  if (text === "") return [];
  const said = text.toWellFormed();
  const last = blocks.at(-1);
  if (continues === true && typeof last?.text === "string") {
    blocks.splice(-1, 1, { type: "text", text: last.text + said });
    return [];
  }
  if (said.trim() === "") return [dropped("empty", origin, "blank text")];
  blocks.push({ type: "text", text: said });
  return [];
}

function writeCall(call: RepairedCall): {
  readonly block: Block;
  readonly report: readonly ConversionReportEntry[];
} {
  const { input, report } = writeInput(call);
  return { block: { type: "tool_use", id: call.id, name: call.name, input }, report };
}

/** An error holds text only, and some: the API refuses it otherwise. */
export function writeResult(result: RepairedResult): WrittenResult {
  const { parts, isError, origin } = result;
  if (!isError && parts.every(({ kind }) => kind === "text")) return writeTexts(result);
  const foreign = isError ? parts.filter(isMovedFromError) : [];
  const inside = writeParts(
    isError ? parts.filter((part) => !isMovedFromError(part)) : parts,
    place(isError),
  );
  const elsewhere = writeParts(foreign, "user");
  const hole = inside.blocks.length === 0 && (isError || leavesHole(inside.report));
  const filler = hole ? placeholder(origin) : undefined;
  const content = filler === undefined ? inside.blocks : [{ type: "text", text: filler.part.text }];
  return {
    blocks: [resultBlock(result, content)],
    afterwards: labelled(elsewhere.blocks, result.callId),
    report: [
      ...inside.report,
      ...(elsewhere.blocks.length === 0 ? [] : foreign.map(movedAfterwards)),
      ...elsewhere.report,
      ...(filler === undefined ? [] : [filler.report]),
    ],
  };
}

/** As nearly all results are. */
function writeTexts(result: RepairedResult): WrittenResult {
  const { blocks, report } = writeParts(result.parts, "result");
  return { blocks: [resultBlock(result, blocks)], afterwards: NO_BLOCKS, report };
}

const NO_BLOCKS: readonly Block[] = [];

function place(isError: boolean): Place {
  return isError ? "error" : "result";
}

function isMovedFromError(part: PivotPart): part is PivotMedia {
  return part.kind === "media" && writeMedia(part, "error").block?.type !== "text" && isTaken(part);
}

function isTaken(part: PivotMedia): boolean {
  return writeMedia(part, "user").block !== undefined;
}

function movedAfterwards({ origin }: PivotMedia): ConversionReportEntry {
  return moved("media", origin, "to a user message after the round: an error holds text only");
}

function labelled(blocks: readonly Block[], callId: string): readonly Block[] {
  return blocks.flatMap((block) => {
    const kind = block.type === "image" ? "Image" : "Document";
    return [{ type: "text", text: `${kind} from tool call ${callId}` }, block];
  });
}

function resultBlock({ callId, isError }: RepairedResult, content: readonly JsonObject[]): Block {
  const [only] = content;
  const plain = content.length === 1 && typeof only?.text === "string" ? only.text : content;
  return {
    type: "tool_result",
    tool_use_id: callId,
    ...(content.length === 0 ? {} : { content: plain }),
    ...(isError ? { is_error: true } : {}),
  };
}

/** Whether something was dropped for which the target has no place, so that a reader would ask why nothing stands there. */
export function leavesHole(report: readonly ConversionReportEntry[]): boolean {
  return report.some(({ kind, artefact }) => kind === "dropped" && artefact === "media");
}

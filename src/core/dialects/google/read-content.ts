/** One Gemini content: its parts in order, blank pieces settled, and something said where all was left out. */

import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import { append } from "../append.js";
import { itemPath } from "../item-path.js";
import type { Origin } from "../pivot.js";
import { placeholder } from "../placeholder.js";
import { dropped } from "../report.js";
import { withWholeCalls } from "./call-pieces.js";
import { isTextPiece, readPart } from "./read-parts.js";
import { NOTHING, otherFields, type Place, type ReadItem, type Reading } from "./read-place.js";

export interface Content extends Reading {
  readonly role: Place["role"];
}

const CONTENT_FIELDS = { role: true, parts: true };

/** @throws SessionCompatibilityError for a call without a name. */
export function readContent(message: JsonObject, index: number): Content {
  const origin: Origin = { index, path: "" };
  const { role } = message;
  if (role !== "user" && role !== "model") {
    return { role: "user", items: [], report: [dropped("metadata", origin, `role ${JSON.stringify(role)}`)] };
  }
  const given: readonly JsonValue[] = Array.isArray(message.parts) ? message.parts : [];
  const parts = given.every(isJsonObject) ? given : given.filter(isJsonObject);
  const read = readParts(parts, { origin, role });
  const others = otherFields(message, CONTENT_FIELDS, origin);
  const report = others.length === 0 ? read.report : [...read.report, ...others];
  if (read.items.length > 0) return { role, items: read.items, report };
  return { role, ...whatIsLeft(role, report, origin) };
}

/** An answer of which nothing is left vanishes: models copy what stands in for one. */
function whatIsLeft(role: Place["role"], report: readonly ConversionReportEntry[], origin: Origin): Reading {
  if (report.length === 0) {
    const speaker = role === "model" ? "assistant" : "user";
    return { ...NOTHING, report: [dropped("empty", origin, `${speaker} message without content`)] };
  }
  const gone = report.some(({ artefact = "" }) => !["empty", "signature", "thinking"].includes(artefact));
  if (role === "model" || !gone) return { ...NOTHING, report };
  const stand = placeholder(origin);
  return { items: [stand.part], report: [...report, stand.report] };
}

/** An item, and the run of neighbouring text pieces it came from: within one, a text goes on without a break. */
interface Piece {
  readonly item: ReadItem;
  readonly run: number;
}

function readParts(parts: readonly JsonObject[], { origin, role }: Place): Reading {
  const report: ConversionReportEntry[] = [];
  const items: ReadItem[] = [];
  const runs: number[] = [];
  let run = 0;
  let index = -1;
  for (const part of withWholeCalls(parts)) {
    index += 1;
    const reading = readPart(part, { origin: { index: origin.index, path: itemPath("parts", index) }, role });
    const isPiece = isTextPiece(part);
    if (!isPiece) run += 1;
    append(report, reading.report);
    for (const item of reading.items) {
      items.push(item);
      runs.push(run);
    }
    if (!isPiece) run += 1;
  }
  if (isSettled(items)) return { items, report };
  const pieces = items.map((item, index): Piece => ({ item, run: runs[index] ?? 0 }));
  const settled = settleBlanks(pieces, role === "model");
  return { items: settled.items, report: [...report, ...settled.report] };
}

/** Nothing blank, and no two texts side by side. */
function isSettled(items: readonly ReadItem[]): boolean {
  let afterText = false;
  for (const item of items) {
    const isText = item.kind === "text";
    if (isText && (afterText || item.text.trim() === "")) return false;
    afterText = isText;
  }
  return true;
}

/** A blank piece between two pieces of one answer is a part of it; any other is nothing that a wire takes. */
function settleBlanks(pieces: readonly Piece[], joining: boolean): Reading {
  const kept: Piece[] = [];
  const report: ConversionReportEntry[] = [];
  let blanks: Piece[] = [];
  for (const piece of [...pieces, undefined]) {
    if (piece !== undefined && isBlank(piece)) {
      blanks.push(piece);
      continue;
    }
    const joined = joining && piece !== undefined ? continued(kept.at(-1), blanks, piece) : undefined;
    if (joined !== undefined) kept.splice(-1, 1, ...joined);
    else {
      append(
        report,
        blanks.map(({ item }) => dropped("empty", item.origin, "blank text")),
      );
      if (piece !== undefined) kept.push(piece);
    }
    blanks = [];
  }
  return { items: kept.map(({ item }) => item), report };
}

function continued(
  before: Piece | undefined,
  blanks: readonly Piece[],
  piece: Piece,
): readonly Piece[] | undefined {
  if (before === undefined || before.run !== piece.run) return undefined;
  if (before.item.kind !== "text" || piece.item.kind !== "text") return undefined;
  const text = [before, ...blanks].map(({ item }) => (item.kind === "text" ? item.text : "")).join("");
  return [
    { ...before, item: { ...before.item, text } },
    { ...piece, item: { ...piece.item, continues: true } },
  ];
}

function isBlank({ item }: Piece): boolean {
  return item.kind === "text" && item.text.trim() === "";
}

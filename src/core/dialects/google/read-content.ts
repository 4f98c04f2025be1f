/** One Gemini content: its parts in order, blank pieces settled, and something said where all was left out. */

import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import { append } from "../append.js";
import type { Origin } from "../pivot.js";
import { placeholder } from "../placeholder.js";
import { dropped } from "../report.js";
import { withWholeCalls } from "./call-pieces.js";
import { isTextPiece, readPart } from "./read-parts.js";
import { inside, NOTHING, otherFields, type Place, type ReadItem, type Reading } from "./read-place.js";

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
  const parts = Array.isArray(message.parts)
    ? (message.parts as readonly JsonValue[]).filter(isJsonObject)
    : [];
  const read = readParts(parts, { origin, role });
  const report = [...read.report, ...otherFields(message, CONTENT_FIELDS, origin)];
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
  const pieces: Piece[] = [];
  let run = 0;
  withWholeCalls(parts).forEach((part, index) => {
    const reading = readPart(part, { origin: inside(origin, `parts[${index}]`), role });
    if (!isTextPiece(part)) run += 1;
    append(report, reading.report);
    append(
      pieces,
      reading.items.map((item) => ({ item, run })),
    );
    if (!isTextPiece(part)) run += 1;
  });
  const settled = settleBlanks(pieces, role === "model");
  return { items: settled.items, report: [...report, ...settled.report] };
}

/** A blank piece between two pieces of one answer is a part of it; any other is nothing that a wire takes. */
function settleBlanks(pieces: readonly Piece[], joining: boolean): Reading {
  if (pieces.length === 1 && pieces.every((piece) => !isBlank(piece))) {
    return { items: pieces.map(({ item }) => item), report: [] };
  }
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

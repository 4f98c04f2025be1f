/** From one dialect to another: read, repair, write; and the attic, which makes the way back exact. */
import type { ConversionReportEntry, MediaEntry, NativeMessage } from "../envelope/envelope.js";
import type { DialectName } from "../providers.js";
import { type Alignment, alignmentOf, composed, cutOnce, everyCut, flipped, identity } from "./alignment.js";
import { append } from "./append.js";
import {
  type AtticEntry,
  type AtticOf,
  atticDialects,
  atticOf,
  isUnit,
  type Spliced,
  spliceFromAttic,
  storeInAttic,
} from "./attic.js";
import { CONVERSIONS } from "./conversions.js";
import { DIALECTS } from "./index.js";
import { Inseparable, PIECE, repairedEntries } from "./pieces.js";
import type { RepairedEntry, WrittenHistory } from "./pivot.js";
import type { ReservedIds } from "./repair.js";
import { hasHead, joinedSystem, PassingSystem, shifted, systemIn, untold } from "./system-text.js";
import { tooDeep } from "./too-deep.js";

export interface ConvertRequest {
  readonly from: DialectName;
  readonly to: DialectName;
  readonly messages: readonly NativeMessage[];
  /** System text beside the list, for the dialects that have it there. */
  readonly system?: string | null;
  /** Names of the models, for what models of one dialect take differently. */
  readonly fromModel?: string;
  readonly toModel?: string;
  readonly attic?: readonly AtticEntry[];
  /** An envelope's media table: files behind a provider's own address cross with the bytes that it holds, or with the marker for them. */
  readonly media?: Readonly<Record<string, MediaEntry>>;
}

export interface Conversion {
  readonly messages: readonly NativeMessage[];
  readonly system: string | null;
  /** Sorted by the place in the source. */
  readonly report: readonly ConversionReportEntry[];
  readonly attic: readonly AtticEntry[];
  /** From the source's list to the converted one. */
  readonly alignment: Alignment;
}

/**
 * Converts a history. No I/O; the same input gives the same output. What returns to a dialect it was in before comes
 * back byte for byte, and only what was added since is converted and reported.
 *
 * @throws SessionCompatibilityError for a history that ends inside a tool round, a call without a name, a result without a call.
 * @throws InvalidHistoryError for a history that is nested too deep to be read.
 */
export function convertHistory(request: ConvertRequest): Conversion {
  if (request.from === request.to) return unchanged(request, request.attic ?? []);
  try {
    return converted(request);
  } catch (error) {
    // Nothing else in a conversion throws it; looking at every depth before would cost every history.
    throw error instanceof RangeError ? tooDeep(request.messages) : error;
  }
}

function converted(request: ConvertRequest): Conversion {
  const there = travel(request);
  const { messages, system, report, alignment } = there;
  return { messages, system, report, attic: newAttic(request, there), alignment };
}

function unchanged({ messages, system }: ConvertRequest, attic: readonly AtticEntry[]): Conversion {
  return { messages, system: system ?? null, report: [], attic, alignment: identity(messages.length) };
}

interface Travelled extends Omit<Conversion, "attic"> {
  /** Where the list is cut for a place of the source at which both can be, though nothing of the alignment says so. */
  cutFor(place: number): number | undefined;
}

/** The conversion itself, with what the attic gives back, without the new attic. */
function travel(request: ConvertRequest): Travelled {
  const kept = atticOf(request.attic ?? [], request.to);
  const written = convertOnce(request, kept);
  const messages = written.messages.map(({ message }) => message);
  const alignment = alignmentOf(written.messages, request.messages.length);
  const report = sorted(written.report);
  const cuts = lazily(() => everyCut(written.messages, request.messages.length));
  if (kept === undefined || kept.units.length === 0) {
    const restored = kept?.base.upto ?? 0;
    return {
      messages,
      system: kept === undefined ? written.system : systemBeside(request, kept, written, []),
      report: restored === 0 ? report : report.filter(({ index }) => index >= restored),
      alignment,
      cutFor: (place) => withHead(cuts().get(place), written.messages),
    };
  }
  const spliced = spliceFromAttic(messages, alignment, cuts(), kept.units);
  const added = spliced.messages.length - messages.length;
  const end = (cuts().get(kept.base.upto) ?? messages.length) + added;
  const told = withAddedSystem(request, kept, written, { ...spliced, end });
  const restored = kept.units.at(-1)?.to ?? 0;
  return {
    messages: told.messages,
    system: systemBeside(request, kept, written, spliced.messages.slice(0, end)),
    report: report.filter(({ index }) => index >= kept.base.upto),
    alignment: told.alignment,
    cutFor: (place) => {
      const cut = place < restored ? undefined : cuts().get(place);
      return cut === undefined ? undefined : cut + added + told.addedBefore(cut + added);
    },
  };
}

/** The system text beside the list as it was, and what was added since. */
function systemBeside(
  { to, system = null }: ConvertRequest,
  { base }: AtticOf,
  { passing, system: added }: ConvertedOnce,
  restored: readonly NativeMessage[],
): string | null {
  if (!hasSystemBeside(to)) return null;
  const said = [system, ...passing.before];
  const told = said.some((text) => text) ? systemIn(CONVERSIONS[to], restored) : [];
  return joinedSystem(joinedSystem(base.system, untold(said, [base.system, ...told])), added);
}

/** Where the attic gives back what stands in front of a list, system text that was added since has to join it. */
function withAddedSystem(
  { to, system = null }: ConvertRequest,
  kept: AtticOf,
  { passing }: ConvertedOnce,
  { messages, alignment, end }: Spliced & { readonly end: number },
): Spliced & { addedBefore(place: number): number } {
  const conversion = CONVERSIONS[to];
  const said = [system, ...passing.before];
  const isLost = !hasSystemBeside(to) && hasHead(kept) && said.some((text) => text);
  const lost = isLost ? untold(said, systemIn(conversion, messages.slice(0, end))) : null;
  const text = [lost ?? "", ...passing.later].filter((one) => one.trim() !== "").join("\n\n");
  const told = text === "" ? undefined : conversion.addSystem?.(messages, text, end);
  if (told?.inserted === undefined) {
    return { messages: told?.messages ?? messages, alignment, addedBefore: () => 0 };
  }
  const { inserted } = told;
  const left = inserted === 0 ? 0 : kept.base.upto;
  return {
    messages: told.messages,
    alignment: shifted(alignment, [left, inserted]),
    addedBefore: (place) => (place > inserted ? 1 : 0),
  };
}

/** System text that was put before the list belongs to what stands before the cut. */
function withHead(cut: number | undefined, written: WrittenHistory["messages"]): number | undefined {
  if (cut !== 0) return cut;
  const first = written.findIndex(({ from }) => from.length > 0);
  return first === -1 ? written.length : first;
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function hasSystemBeside(dialect: DialectName): boolean {
  return !DIALECTS[dialect].capabilities.systemInHistory;
}

interface ConvertedOnce extends WrittenHistory {
  readonly passing: PassingSystem;
}

/** Piece by piece, and only where that cannot be in one: a history that is not held as a whole is converted faster. */
function convertOnce(request: ConvertRequest, kept?: AtticOf): ConvertedOnce {
  try {
    return convertedIn(request, kept, PIECE);
  } catch (error) {
    if (!(error instanceof Inseparable)) throw error;
    return convertedIn(request, kept, Number.POSITIVE_INFINITY);
  }
}

function convertedIn(request: ConvertRequest, kept: AtticOf | undefined, size: number): ConvertedOnce {
  const { from, to, system = null, toModel: model = "", media = {} } = request;
  const report: ConversionReportEntry[] = [];
  const messages = withFileBytes(from, request.messages, media);
  const source = { messages, conversion: CONVERSIONS[from], startsTurn: DIALECTS[from].startsTurn };
  const reserved = kept && reservedIds(to, kept);
  const entries = repairedEntries(source, { callIds: CONVERSIONS[to].callIds, reserved }, report, size);
  const passing = new PassingSystem();
  const written =
    kept === undefined
      ? CONVERSIONS[to].writeHistory(entries, { model, system })
      : CONVERSIONS[to].writeHistory(entriesBeside(kept, to, entries, passing), {
          model,
          system: hasSystemBeside(to) || hasHead(kept) ? null : system,
        });
  append(report, written.report);
  append(report, passing.report);
  return { messages: written.messages, system: written.system, report, passing };
}

/**
 * The history as it is read: a file that it names by its provider's own address stands in it with the bytes that the media
 * table has, or with the marker for them.
 */
export function withFileBytes(
  dialect: DialectName,
  messages: readonly NativeMessage[],
  media: Readonly<Record<string, MediaEntry>>,
): readonly NativeMessage[] {
  return CONVERSIONS[dialect].withFileBytes?.(messages, media) ?? messages;
}

/** Calls that are new do not take the ids of those that come out of the attic. */
function reservedIds(to: DialectName, { base, units }: AtticOf): ReservedIds | undefined {
  if (units.length === 0) return undefined;
  return { from: base.upto, ids: units.flatMap(({ messages }) => callIdsOf(to, messages)) };
}

/** What the attic's system text says already is not said again; what was added since is. */
function entriesBeside(
  kept: AtticOf,
  to: DialectName,
  entries: Iterable<RepairedEntry>,
  passing: PassingSystem,
): Iterable<RepairedEntry> {
  const inFront = CONVERSIONS[to].systemInFront === true && hasHead(kept);
  return passing.beside(entries, kept.base.upto, { inPlace: !hasSystemBeside(to) && !inFront, inFront });
}

function callIdsOf(dialect: DialectName, messages: readonly NativeMessage[]): readonly string[] {
  return CONVERSIONS[dialect]
    .readHistory(messages)
    .entries.flatMap((entry) => (entry.kind === "assistant" ? entry.parts : []))
    .flatMap((part) => (part.kind === "call" && part.id !== null ? [part.id] : []));
}

/** Of every dialect that the history has been in, the one it is leaving included: what the way back would not give. */
function newAttic(request: ConvertRequest, there: Travelled): readonly AtticEntry[] {
  const old = request.attic ?? [];
  const dialects = [...new Set([...atticDialects(old), request.from])].filter(
    (dialect) => dialect !== request.to,
  );
  return dialects.flatMap((dialect) => {
    const origin = dialect === request.from ? present(request) : former(request, dialect);
    const alignment = throughTo(origin, there);
    const upto = alignment.at(-1)?.[1] ?? 0;
    const back = convertOnce({
      from: request.to,
      to: dialect,
      messages: there.messages.slice(0, upto),
      system: there.system,
      toModel: origin.model,
    });
    return storeInAttic({
      base: { dialect, model: origin.model, system: origin.system },
      originals: origin.messages,
      keepsHead: there.system !== null && !hasSystemBeside(dialect),
      alignment,
      back: back.messages.map(({ message }) => message),
      backAlignment: alignmentOf(back.messages, upto),
    });
  });
}

/** The original's end is a cut too, wherever it can be: what was added after it is never taken for a part of it. */
function throughTo({ messages, alignment }: Native, there: Travelled): Alignment {
  if (alignment === undefined) return cutOnce(there.alignment, messages.length);
  const through = composed(flipped(alignment), there.alignment);
  const upto = alignment.at(-1)?.[0] ?? 0;
  if (messages.length === 0) return through;
  if (upto === 0)
    return [
      [0, 0],
      [messages.length, there.cutFor(0) ?? 0],
    ];
  if (through.at(-1)?.[0] === messages.length) return through;
  const end = there.cutFor(upto);
  return end === undefined ? through : [...through, [messages.length, end]];
}

/** A native list, and how the present list aligns with it; undefined where it is the present list. */
interface Native {
  readonly messages: readonly NativeMessage[];
  readonly system: string | null;
  readonly model: string;
  readonly alignment: Alignment | undefined;
}

function present({ messages, system, fromModel }: ConvertRequest): Native {
  return {
    messages,
    system: system ?? null,
    model: fromModel ?? "",
    alignment: undefined,
  };
}

/** The history as it was in a dialect that it has left before: the part that was native to it. */
function former(request: ConvertRequest, dialect: DialectName): Native {
  const attic = (request.attic ?? []).filter((entry) => entry.dialect === dialect);
  const base = attic.find((entry) => !isUnit(entry));
  const upto = base !== undefined && !isUnit(base) ? base.upto : 0;
  const model = base !== undefined && !isUnit(base) ? base.model : "";
  const returned = travel({
    ...request,
    messages: request.messages.slice(0, upto),
    to: dialect,
    toModel: model,
    attic,
  });
  return { messages: returned.messages, system: returned.system, model, alignment: returned.alignment };
}

/** System text where a dialect has it: as messages in front of the list, or beside it. */
export function placeSystem(
  dialect: DialectName,
  system: string | null,
): Pick<Conversion, "messages" | "system"> {
  const written = CONVERSIONS[dialect].writeHistory([], { model: "", system });
  return { messages: written.messages.map(({ message }) => message), system: written.system };
}

/** True for a history of text turns alone: nothing in it needs a conversion that could lose anything. */
export function isPlainText(dialect: DialectName, messages: readonly NativeMessage[]): boolean {
  const { entries, report } = CONVERSIONS[dialect].readHistory(messages);
  const saysText = (parts: readonly { readonly kind: string }[]): boolean =>
    parts.every(({ kind }) => kind === "text");
  return (
    report.length === 0 &&
    entries.every((entry) => (entry.kind === "user" || entry.kind === "assistant") && saysText(entry.parts))
  );
}

/** Stable: what one place reports stays in the order in which it was found. */
function sorted(report: readonly ConversionReportEntry[]): readonly ConversionReportEntry[] {
  if (report.every(({ index }, at) => at === 0 || index >= (report[at - 1]?.index ?? 0))) return report;
  return [...report].sort((one, other) => one.index - other.index);
}

/** Calls that Vertex streamed in pieces: the name first, then the arguments place by place. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import type { FunctionCall, Part } from "./wire.js";

/** The parts with each call whole in the place of its first piece; what stood beside a later piece stays where it is. */
export function withWholeCalls(parts: readonly Part[]): readonly Part[] {
  if (!parts.some(({ functionCall }) => functionCall?.willContinue || functionCall?.partialArgs))
    return parts;
  const whole: Part[] = [];
  let begun: Begun | undefined;
  const end = (): void => {
    if (begun !== undefined) whole[begun.place] = { ...begun.first, functionCall: wholeCall(begun.pieces) };
    begun = undefined;
  };
  for (const part of parts) {
    const piece = part.functionCall;
    if (!piece) {
      whole.push(part);
      continue;
    }
    if (begun !== undefined && !piece.name) {
      begun.pieces.push(piece);
      whole.push({ ...part, functionCall: null });
    } else {
      end();
      begun = { place: whole.length, first: part, pieces: [piece] };
      whole.push(part);
    }
    if (piece.willContinue !== true) end();
  }
  end();
  return whole;
}

interface Begun {
  readonly place: number;
  readonly first: Part;
  readonly pieces: FunctionCall[];
}

/** Pieces that do not fit together are left as they came, for the reader to report. */
function wholeCall(pieces: readonly FunctionCall[]): FunctionCall {
  const [first = {}, ...others] = pieces;
  const call = others.length === 0 ? first : joined(first, others);
  const parts = listIn(call.partialArgs);
  if (parts.length === 0 || Object.keys(objectIn(call.args)).length > 0) return call;
  const args = assembled(parts);
  if (args === undefined) return call;
  const { partialArgs: _, ...rest } = call;
  return { ...rest, args };
}

function joined(first: FunctionCall, others: readonly FunctionCall[]): FunctionCall {
  const all = [first, ...others];
  const args = others.some((piece) => isJsonObject(piece.args))
    ? Object.assign({}, ...all.map((piece) => objectIn(piece.args)))
    : first.args;
  return {
    ...first,
    ...(args === undefined ? {} : { args }),
    partialArgs: all.flatMap((piece) => listIn(piece.partialArgs)),
    willContinue: others.at(-1)?.willContinue === true,
  };
}

/** Undefined where a piece has no place. */
function assembled(pieces: readonly JsonValue[]): JsonValue | undefined {
  const root: { $: JsonValue | undefined } = { $: {} };
  for (const piece of pieces) {
    const steps = isJsonObject(piece) ? stepsOf(piece.jsonPath) : undefined;
    if (steps === undefined || !isJsonObject(piece) || !put(root, ["$", ...steps], piece)) return undefined;
  }
  return root.$;
}

type Step = string | number;

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['([^'\\]*)'\]|\["([^"\\]*)"\]/y;

/** Of a JSON path (RFC 9535) the plain ones, which name one place; undefined for any other. */
function stepsOf(path: JsonValue | undefined): readonly Step[] | undefined {
  if (typeof path !== "string" || !path.startsWith("$")) return undefined;
  const steps: Step[] = [];
  const pattern = new RegExp(STEP);
  pattern.lastIndex = 1;
  while (pattern.lastIndex < path.length) {
    const match = pattern.exec(path);
    if (match === null) return undefined;
    const [, name, index, single, double] = match;
    steps.push(index === undefined ? (name ?? single ?? double ?? "") : Number(index));
  }
  return steps;
}

/** What is being put together; nobody else has it yet. */
type Growing = { [key: string]: JsonValue | undefined } | (JsonValue | undefined)[];

/** Puts the piece into its place: text goes on where it stopped. False where the place cannot be. */
function put(root: Growing, steps: readonly Step[], piece: JsonObject): boolean {
  let holder = root;
  for (const [at, step] of steps.entries()) {
    if (!fits(holder, step)) return false;
    const members = holder as { [key: Step]: JsonValue | undefined };
    const before = Object.hasOwn(holder, step) ? members[step] : undefined;
    const next = steps[at + 1];
    const value = next === undefined ? leaf(before, piece) : (before ?? (typeof next === "string" ? {} : []));
    if (value === undefined || (next !== undefined && (typeof value !== "object" || value === null)))
      return false;
    members[step] = value;
    holder = value as Growing;
  }
  return true;
}

/** A list grows at its end only. */
function fits(holder: Growing, step: Step): boolean {
  if (typeof step === "string") return !Array.isArray(holder) && step !== "__proto__";
  return Array.isArray(holder) && step <= holder.length;
}

function leaf(before: JsonValue | undefined, piece: JsonObject): JsonValue | undefined {
  const { stringValue, numberValue, boolValue, nullValue } = piece;
  if (typeof stringValue === "string") return `${typeof before === "string" ? before : ""}${stringValue}`;
  if (nullValue !== undefined && nullValue !== null) return null;
  return numberValue ?? boolValue ?? before ?? "";
}

function objectIn(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

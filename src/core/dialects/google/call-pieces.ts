/** Calls that Vertex streamed in pieces: the name first, then the arguments place by place. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.js";
import type { FunctionCall, Part } from "./wire.js";

/** The parts with each call whole in the place of its first piece; what stood beside a later piece stays where it is. */
export function withWholeCalls(parts: readonly Part[]): readonly Part[] {
  if (!parts.some(({ functionCall }) => functionCall?.willContinue || functionCall?.partialArgs))
    return parts;
  const whole: Part[] = [];
  let begun: number | undefined;
  for (const part of parts) {
    const piece = part.functionCall;
    const first = begun === undefined ? undefined : whole[begun];
    if (!piece) whole.push(part);
    else if (begun !== undefined && first?.functionCall && !piece.name) {
      whole[begun] = { ...first, functionCall: joined(first.functionCall, piece) };
      whole.push({ ...part, functionCall: null });
    } else whole.push(part);
    if (piece?.willContinue === true && piece.name) begun = whole.length - 1;
    else if (piece && piece.willContinue !== true) begun = undefined;
  }
  return whole.map((part) =>
    part.functionCall ? { ...part, functionCall: assembled(part.functionCall) } : part,
  );
}

function joined(first: FunctionCall, piece: FunctionCall): FunctionCall {
  const args = isJsonObject(piece.args) ? { ...objectIn(first.args), ...piece.args } : first.args;
  return {
    ...first,
    ...(args === undefined ? {} : { args }),
    partialArgs: [...listIn(first.partialArgs), ...listIn(piece.partialArgs)],
    willContinue: piece.willContinue === true,
  };
}

/** Pieces that do not fit together are left as they came, for the reader to report. */
function assembled(call: FunctionCall): FunctionCall {
  const pieces = listIn(call.partialArgs);
  if (pieces.length === 0 || Object.keys(objectIn(call.args)).length > 0) return call;
  let args: JsonValue | undefined = {};
  for (const piece of pieces) {
    const steps = isJsonObject(piece) ? stepsOf(piece.jsonPath) : undefined;
    args = steps === undefined || !isJsonObject(piece) ? undefined : withPiece(args, steps, piece);
    if (args === undefined) return call;
  }
  const { partialArgs: _, ...rest } = call;
  return { ...rest, args };
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

/** The value with the piece at its place: text goes on where it stopped. Undefined where the place cannot be. */
function withPiece(
  value: JsonValue | undefined,
  steps: readonly Step[],
  piece: JsonObject,
): JsonValue | undefined {
  const [step, ...further] = steps;
  if (step === undefined) return leaf(value, piece);
  if (typeof step === "string") {
    const object = value === undefined ? {} : value;
    if (!isJsonObject(object)) return undefined;
    const inner = withPiece(Object.hasOwn(object, step) ? object[step] : undefined, further, piece);
    return inner === undefined ? undefined : { ...object, [step]: inner };
  }
  const list = value === undefined ? [] : value;
  if (!Array.isArray(list) || step > list.length) return undefined;
  const inner = withPiece((list as readonly JsonValue[])[step], further, piece);
  return inner === undefined ? undefined : [...list.slice(0, step), inner, ...list.slice(step + 1)];
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

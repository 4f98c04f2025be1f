/** Guards the door of the hub: only known frames get to readers. */
import type { PushedFrame } from "../core/conversation/frame.js";
import { UsageError } from "../core/errors/errors.js";

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const flag: Check = (value) => typeof value === "boolean";
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const textOrNull: Check = (value) => value === null || text(value);
const endState: Check = (value) => value === "committed" || value === "interrupted";
const resultOrAbsent: Check = (value) => value === undefined || isRecord(value);
const textOrAbsent: Check = (value) => value === undefined || text(value);
const countOrAbsent: Check = (value) => value === undefined || count(value);

const POSITION: Readonly<Record<string, Check>> = { turn: text, attempt: count, seq: count };

const FIELDS: Readonly<Record<PushedFrame["type"], Readonly<Record<string, Check>>>> = {
  attempt: { provider: text, model: text, simulated: flag },
  text: { text },
  reasoning: { text },
  tool_call: { call: count, id: text, name: text, arguments: text, approval: countOrAbsent },
  tool_approval: { call: count, id: text, approved: flag, reason: textOrAbsent, arguments: textOrAbsent },
  tool_result: { call: countOrAbsent, id: text, output: text, is_error: flag },
  retry: { error_type: text, error: text, delay_ms: count },
  end: { state: endState, digest: textOrNull, result: resultOrAbsent },
};

/** Checks type and fields of a frame. Throws UsageError naming the field that is wrong. */
export function parseFrame(value: unknown): PushedFrame {
  if (!isRecord(value)) throw new UsageError("A frame is a JSON object");
  const { type } = value;
  if (typeof type !== "string" || !Object.hasOwn(FIELDS, type))
    throw new UsageError(`No frame has the type ${JSON.stringify(type)}: ${Object.keys(FIELDS).join(", ")}`);
  const checks = { ...POSITION, ...FIELDS[type as PushedFrame["type"]] };
  const wrong = Object.entries(checks).find(([name, check]) => !check(value[name]));
  if (wrong !== undefined)
    throw new UsageError(`\`${wrong[0]}\` of a frame of type ${type} is missing or wrong`);
  return value as unknown as PushedFrame;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Which calls of one answer are run. All of a round begin in one workflow task, which the server bounds: at 4 MiB, and 2,000 activities. */
import type { PlannedCall } from "../../core/conversation/activity-contract.js";
import type { ToolCall } from "../../core/dialects/dialect.js";
import { jsonByteLength } from "../../core/json-byte-length.js";

/** Calls of one answer. */
export const MOST_CALLS = 128;
/** Of their ids, names and arguments as JSON. */
export const MOST_CALL_BYTES: number = 1024 * 1024;
/** Of local tools: their results are told to the server in one piece, each of up to 128 KiB. */
export const MOST_LOCAL_CALLS = 16;

const TOO_MANY = `Error: This call was not run: of one answer at most ${MOST_CALLS} calls are. Ask for it in your next answer, with fewer beside it.`;
const TOO_LARGE = `Error: This call was not run: the calls of one answer may have at most ${MOST_CALL_BYTES} bytes of arguments together. Ask for it in your next answer.`;

/** For each call what the model is told in the place of a result, or undefined where it is run. The first one always is. */
export function refusalsOf(calls: readonly ToolCall[]): readonly (string | undefined)[] {
  let run = 0;
  let bytes = 0;
  return calls.map(({ id, name, arguments: given }) => {
    if (run === MOST_CALLS) return TOO_MANY;
    const more = jsonByteLength([id, name, given]);
    if (run > 0 && bytes + more > MOST_CALL_BYTES) return TOO_LARGE;
    run++;
    bytes += more;
    return undefined;
  });
}

/** The calls with those of local tools above the bound as activities. */
export function withFewLocal(calls: readonly PlannedCall[]): readonly PlannedCall[] {
  let locals = 0;
  return calls.map((call) => {
    if (call.local !== true || ++locals <= MOST_LOCAL_CALLS) return call;
    const { local: _, ...rest } = call;
    return rest;
  });
}

/** Cache breakpoints in a Responses history: on parts, and only so many of them. */
import type { ConversionReportEntry } from "../../envelope/envelope.js";
import { isJsonObject, type JsonValue } from "../../json.js";
import type { PivotPart, WrittenMessage } from "../pivot.js";
import { dropped } from "../report.js";
import type { ContentPart } from "./wire.js";

/** The service refuses more in one request. */
const MOST = 4;

const FIELD = "prompt_cache_breakpoint";

/** The written part with the breakpoint of what it was made from. */
export function marked(part: ContentPart, { cacheBreakpoint }: PivotPart): ContentPart {
  return cacheBreakpoint === undefined ? part : { ...part, [FIELD]: cacheBreakpoint };
}

export function isMarked(part: JsonValue | undefined): boolean {
  return isJsonObject(part) && part[FIELD] !== undefined;
}

/** The newest ones are kept: what is cached up to them holds what was cached before. */
export function withNewestBreakpoints(messages: readonly WrittenMessage[]): {
  readonly messages: readonly WrittenMessage[];
  readonly report: readonly ConversionReportEntry[];
} {
  const report: ConversionReportEntry[] = [];
  if (breakpointsIn(messages) <= MOST) return { messages, report };
  let left = MOST;
  const kept = messages.toReversed().map((written) => {
    const { message, from } = written;
    const field = Array.isArray(message.output) ? "output" : "content";
    const parts = message[field];
    if (!Array.isArray(parts) || !parts.some(isMarked)) return written;
    const fewer = (parts as readonly JsonValue[]).toReversed().map((part) => {
      if (!isMarked(part) || left-- > 0 || !isJsonObject(part)) return part;
      report.push(
        dropped("cache-marker", { index: from[0] ?? 0, path: "" }, `only the newest ${MOST} are taken`),
      );
      const { [FIELD]: _, ...rest } = part;
      return rest;
    });
    return { message: { ...message, [field]: fewer.toReversed() }, from };
  });
  return { messages: kept.toReversed(), report };
}

function breakpointsIn(messages: readonly WrittenMessage[]): number {
  let count = 0;
  for (const { message } of messages) {
    const parts = message.output ?? message.content;
    if (Array.isArray(parts))
      for (const part of parts as readonly JsonValue[]) if (isMarked(part)) count += 1;
  }
  return count;
}

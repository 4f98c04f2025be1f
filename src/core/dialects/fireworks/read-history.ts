/** Chat Completions messages into the neutral pivot. */

import type { ConversionReportEntry } from "../../envelope/envelope.js";
import type { JsonObject } from "../../json.js";
import { append } from "../append.js";
import type { Origin, PivotEntry, PivotPart, PivotResult, ReadHistory, ReadRange } from "../pivot.js";
import { placeholder } from "../placeholder.js";
import { dropped } from "../report.js";
import { readAssistant } from "./read-assistant.js";
import { readContent } from "./read-content.js";
import { type Reading, unreadFields } from "./reading.js";
import type { ChatMessage } from "./wire.js";

interface MessageReading {
  /** Undefined where the message says nothing. */
  readonly entry: PivotEntry | undefined;
  readonly report: readonly ConversionReportEntry[];
}
/** `leading`: nothing but system text stands before the message. */
type MessageReader = (message: ChatMessage, index: number, leading: boolean) => MessageReading;

/** Every role, the deprecated one too. */
export const MESSAGE_READERS: Readonly<Record<ChatMessage["role"], MessageReader>> = {
  system: readSystem,
  developer: readSystem,
  user: readUser,
  assistant: readAnswer,
  tool: (message, index) => readResult(message, index, message.tool_call_id || null),
  function: (message, index) => readResult(message, index, null),
};

/**
 * Messages that `checkMessage` has taken.
 *
 * @throws SessionCompatibilityError for a call without a name.
 */
export function readHistory(messages: readonly JsonObject[], range?: ReadRange): ReadHistory {
  const entries: PivotEntry[] = [];
  const report: ConversionReportEntry[] = [];
  let leading = range?.leading ?? true;
  for (let index = range?.first ?? 0; index < (range?.end ?? messages.length); index++) {
    const reading = readMessage((messages[index] ?? {}) as ChatMessage, index, leading);
    append(report, reading.report);
    if (reading.entry === undefined) continue;
    leading &&= reading.entry.kind === "system";
    entries.push(reading.entry);
  }
  return { entries: foldResults(entries), report };
}

function readMessage(message: ChatMessage, index: number, leading: boolean): MessageReading {
  const { role } = message;
  if (Object.hasOwn(MESSAGE_READERS, role)) return MESSAGE_READERS[role](message, index, leading);
  const unknown = dropped("metadata", { index, path: "" }, `message of role ${String(role)}`);
  return { entry: undefined, report: [unknown] };
}

/** Results in neighbouring messages are those of one round. */
function foldResults(entries: readonly PivotEntry[]): readonly PivotEntry[] {
  const folded: PivotEntry[] = [];
  let round: PivotResult[] | undefined;
  for (const entry of entries) {
    if (entry.kind !== "results") {
      round = undefined;
      folded.push(entry);
    } else if (round === undefined) {
      round = [...entry.results];
      folded.push({ ...entry, results: round });
    } else {
      append(round, entry.results);
    }
  }
  return folded;
}

const SPOKEN_FIELDS: ReadonlySet<string> = new Set(["role", "content"]);
const RESULT_FIELDS: ReadonlySet<string> = new Set(["role", "content", "name", "tool_call_id"]);

function readSystem(message: ChatMessage, index: number, leading: boolean): MessageReading {
  const origin: Origin = { index, path: "" };
  const { parts, report } = readContent(message.content, index);
  const texts = parts.filter((part) => part.kind === "text");
  const media = parts.flatMap((part) =>
    part.kind === "media"
      ? [dropped("media", part.origin, `${part.mime_type ?? "image"} in system text`)]
      : [],
  );
  const head = leading ? ({ head: true } as const) : {};
  const marked = texts.some(({ cacheBreakpoint }) => cacheBreakpoint !== undefined) ? { parts: texts } : {};
  const text = texts.map((part) => part.text).join("\n");
  return {
    entry: texts.length === 0 ? undefined : { kind: "system", origin, text, leading, ...head, ...marked },
    report: [...report, ...media, ...unreadFields(message, SPOKEN_FIELDS, origin)],
  };
}

function readUser(message: ChatMessage, index: number): MessageReading {
  const origin: Origin = { index, path: "" };
  const content = readContent(message.content, index);
  const { parts, report } = filled(content, origin);
  const plain = typeof message.content === "string" ? ({ plain: true } as const) : {};
  const unread = unreadFields(message, SPOKEN_FIELDS, origin);
  const empty =
    parts.length === 0 && report.length === 0
      ? [dropped("empty", origin, "user message without content")]
      : [];
  return {
    entry: parts.length === 0 ? undefined : { kind: "user", origin, parts, ...plain },
    report: joined(joined(report, empty), unread),
  };
}

function readAnswer(message: ChatMessage, index: number): MessageReading {
  const origin: Origin = { index, path: "" };
  const { parts, report } = readAssistant(message, index);
  if (parts.length > 0) return { entry: { kind: "assistant", origin, parts }, report };
  const said = report.some(({ artefact }) => artefact !== "metadata");
  const empty = said ? [] : [dropped("empty", origin, "assistant message without content")];
  return { entry: undefined, report: [...report, ...empty] };
}

function readResult(message: ChatMessage, index: number, callId: string | null): MessageReading {
  const origin: Origin = { index, path: "" };
  const { parts, report } = filled(readContent(message.content, index), origin);
  const named = message.name ? { name: message.name } : {};
  const result: PivotResult = { origin, callId, ...named, parts, isError: false };
  return {
    entry: { kind: "results", origin, results: [result] },
    report: joined(report, unreadFields(message, RESULT_FIELDS, origin)),
  };
}

/** Nearly always there is nothing to join. */
function joined(
  report: readonly ConversionReportEntry[],
  more: readonly ConversionReportEntry[],
): readonly ConversionReportEntry[] {
  return more.length === 0 ? report : [...report, ...more];
}

/** What stood in parts that have no place elsewhere leaves a placeholder, so that the message stays where it was. */
function filled({ parts, report }: Reading, origin: Origin): Reading<PivotPart> {
  const lostPart = parts.length === 0 && report.some(({ artefact }) => artefact !== "empty");
  if (!lostPart) return { parts, report };
  const { part, report: entry } = placeholder(origin);
  return { parts: [part], report: [...report, entry].flat() };
}

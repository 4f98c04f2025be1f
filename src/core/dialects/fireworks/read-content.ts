/** The content of a Chat Completions message: a string, or a list of parts. */
import { itemPath } from "../item-path.js";
import type { Origin } from "../pivot.js";
import { dropped, textified } from "../report.js";
import { readAudio, readFile, readUrl } from "./read-media.js";
import { NOTHING, type Reading, readText, together, unreadFields } from "./reading.js";
import type { ChatMessage, ContentPart } from "./wire.js";

type PartReader = (part: ContentPart, origin: Origin) => Reading;

/** Every type of part of any role. Fireworks adds `video_url` to those of the SDK. */
export const PART_READERS: Readonly<
  Record<"text" | "refusal" | "image_url" | "video_url" | "input_audio" | "file", PartReader>
> = {
  text: (part, origin) => readText(part.text, origin),
  refusal: (part, origin) => readRefusal(part.refusal, origin),
  image_url: (part, origin) => readUrl(part, "image_url", origin),
  video_url: (part, origin) => readUrl(part, "video_url", origin),
  input_audio: readAudio,
  file: readFile,
};
type PartType = keyof typeof PART_READERS;
const PART_TYPES = Object.keys(PART_READERS) as readonly PartType[];

const BREAKPOINT = "prompt_cache_breakpoint";

/** Beside its type, what bears the type's name and a cache breakpoint, nothing in a part is read. */
const READ_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  PART_TYPES.map((type) => [type, new Set(["type", type, BREAKPOINT])]),
);

/** What a model says when it declines is its answer. */
export function readRefusal(refusal: string | null | undefined, origin: Origin): Reading {
  const { parts, report } = readText(refusal, origin);
  return parts.length === 0 ? { parts, report } : { parts, report: [textified("refusal", origin)] };
}

export function readContent(content: ChatMessage["content"], index: number): Reading {
  if (content === undefined || content === null) return NOTHING;
  if (typeof content === "string") return readText(content, { index, path: "content" });
  return together(content.map((part, at) => readPart(part, { index, path: itemPath("content", at) })));
}

function readPart(part: ContentPart, origin: Origin): Reading {
  const type = typeOf(part);
  if (type === undefined) {
    return { parts: [], report: [dropped("metadata", origin, `part of type ${String(part.type)}`)] };
  }
  const { parts, report } = marked(PART_READERS[type](part, origin), part[BREAKPOINT]);
  const unread = unreadFields(part, READ_FIELDS[type] ?? new Set(), origin);
  return unread.length === 0 ? { parts, report } : { parts, report: [...report, ...unread] };
}

/** A breakpoint is lost with its part, unsaid. */
function marked(reading: Reading, cacheBreakpoint: ContentPart[typeof BREAKPOINT]): Reading {
  if (cacheBreakpoint === undefined || cacheBreakpoint === null) return reading;
  return { ...reading, parts: reading.parts.map((part) => ({ ...part, cacheBreakpoint })) };
}

/** Some writers leave the type out; the field that is there says it. */
function typeOf({ type, ...fields }: ContentPart): PartType | undefined {
  return PART_TYPES.find((known) =>
    type === undefined || type === null ? fields[known] !== undefined : known === type,
  );
}

/** One message of a Chat Completions request, looked at by itself. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { parseDataUrl } from "../data-url.js";
import { isBase64, isBroken, sniffMediaType } from "../media-check.js";
import type { WireIssue } from "../wire-issue.js";

export interface MessageRules {
  /** Unknown fields, roles and part types are refused, as Fireworks does; compatible servers vary. */
  readonly strict: boolean;
  /** Whether the bytes of media are looked at. */
  readonly mediaBytes: boolean;
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content", "name"],
  user: ["role", "content", "name"],
  assistant: ["role", "content", "name", "tool_calls", "reasoning_content"],
  tool: ["role", "content", "name", "tool_call_id"],
};
const PART_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text"],
  image_url: ["type", "image_url"],
  video_url: ["type", "video_url"],
};
/** As documented; webp is not listed, and is taken. */
const IMAGE_TYPES: readonly string[] = [
  "image/png",
  "image/jpg",
  "image/jpeg",
  "image/gif",
  "image/bmp",
  "image/tiff",
  "image/ppm",
  "image/x-portable-pixmap",
  "image/webp",
];
const MAXIMUM_URL = 5_000_000;

export function checkMessage(value: JsonValue, path: string, rules: MessageRules): readonly WireIssue[] {
  if (!isJsonObject(value)) return [issue(path, "Input should be a valid dictionary")];
  const role = String(value.role);
  const known = rules.strict ? FIELDS[role] : (FIELDS[role] ?? FIELDS.system);
  if (known === undefined) {
    return [issue(`${path}.role`, "Input should be 'system', 'user', 'assistant' or 'tool'")];
  }
  if (rules.strict) {
    const extra = Object.keys(value).filter((key) => !known.includes(key));
    if (extra.length > 0) return extra.map((key) => extraInput(`${path}.${key}`, value[key]));
  }
  return role === "assistant"
    ? checkAssistant(value, path, rules)
    : role === "tool"
      ? checkToolMessage(value, path, rules)
      : checkContent(
          value.content,
          `${path}.content`,
          role === "user" ? Object.keys(PART_FIELDS) : ["text"],
          rules,
        );
}

function checkAssistant(message: JsonObject, path: string, rules: MessageRules): readonly WireIssue[] {
  const { content, tool_calls: calls, reasoning_content: reasoning } = message;
  const called = Array.isArray(calls) && calls.length > 0;
  if ((content === undefined || content === null) && !called) {
    return [issue(`${path}.content`, "An assistant message needs content or tool_calls")];
  }
  if (reasoning !== undefined && reasoning !== null && typeof reasoning !== "string") {
    return [issue(`${path}.reasoning_content`, "Input should be a valid string")];
  }
  const text =
    content === undefined || content === null
      ? []
      : checkContent(content, `${path}.content`, ["text"], rules);
  const list = Array.isArray(calls) ? (calls as readonly JsonValue[]) : [];
  return [...text, ...list.flatMap((call, index) => checkCall(call, `${path}.tool_calls.${index}`, rules))];
}

function checkCall(call: JsonValue, path: string, rules: MessageRules): readonly WireIssue[] {
  if (!isJsonObject(call)) return [issue(path, "Input should be a valid dictionary")];
  const extra = rules.strict
    ? Object.keys(call).filter((key) => !["id", "type", "function"].includes(key))
    : [];
  if (extra.length > 0) return extra.map((key) => extraInput(`${path}.${key}`, call[key]));
  const { id, type, function: called } = call;
  if (typeof id !== "string" || id === "") return [issue(`${path}.id`, "Field required")];
  if (type !== undefined && type !== "function") return [issue(`${path}.type`, "Input should be 'function'")];
  if (!isJsonObject(called) || typeof called.name !== "string" || called.name === "") {
    return [issue(`${path}.function.name`, "Field required")];
  }
  return checkArguments(called.arguments, `${path}.function.arguments`);
}

/** Chat templates parse the arguments: what is no object breaks them. */
function checkArguments(value: JsonValue | undefined, path: string): readonly WireIssue[] {
  if (typeof value !== "string") return [issue(path, "Input should be a valid string")];
  try {
    const parsed: unknown = JSON.parse(value);
    return isJsonObject(parsed) ? [] : [issue(path, "Tool call arguments must be a JSON object")];
  } catch {
    return [issue(path, "Tool call arguments must be valid JSON")];
  }
}

function checkToolMessage(message: JsonObject, path: string, rules: MessageRules): readonly WireIssue[] {
  const { tool_call_id: id, content } = message;
  if (typeof id !== "string" || id === "") return [issue(`${path}.tool_call_id`, "Field required")];
  return checkContent(content, `${path}.content`, ["text"], rules);
}

function checkContent(
  content: JsonValue | undefined,
  path: string,
  types: readonly string[],
  rules: MessageRules,
): readonly WireIssue[] {
  if (content === undefined || content === null) return [issue(path, "Field required")];
  if (typeof content === "string") return [];
  if (!Array.isArray(content)) return [issue(path, "Input should be a valid string or array")];
  if (content.length === 0) return [issue(path, "content must not be an empty array")];
  return (content as readonly JsonValue[]).flatMap((part, index) =>
    checkPart(part, `${path}.${index}`, types, rules),
  );
}

function checkPart(
  part: JsonValue,
  path: string,
  types: readonly string[],
  rules: MessageRules,
): readonly WireIssue[] {
  if (!isJsonObject(part)) return [issue(path, "Input should be a valid dictionary")];
  const type = String(part.type);
  const own = PART_FIELDS[type];
  if (own === undefined && !rules.strict) return [];
  if (own === undefined || !types.includes(type)) {
    const expected = types.map((known) => `'${known}'`).join(", ");
    return [issue(`${path}.type`, `Input should be ${expected}, found '${type}'`)];
  }
  const extra = rules.strict ? Object.keys(part).filter((key) => !own.includes(key)) : [];
  if (extra.length > 0) return extra.map((key) => extraInput(`${path}.${key}`, part[key]));
  if (type === "text") {
    return typeof part.text === "string" ? [] : [issue(`${path}.text`, "Input should be a valid string")];
  }
  return checkUrl(part[type], `${path}.${type}`, type, rules);
}

function checkUrl(
  holder: JsonValue | undefined,
  path: string,
  type: string,
  rules: MessageRules,
): readonly WireIssue[] {
  const url = isJsonObject(holder) ? holder.url : undefined;
  if (typeof url !== "string") return [issue(`${path}.url`, "Field required")];
  if (/^https?:\/\/./.test(url)) return [];
  const parsed = parseDataUrl(url);
  if (parsed === undefined)
    return [issue(`${path}.url`, "Invalid URL: expected http(s) or a base64 data URL")];
  if (url.length > MAXIMUM_URL) return [issue(`${path}.url`, "The URL is longer than 5 MB")];
  if (type !== "image_url" || !rules.strict) return [];
  const actual = isBase64(parsed.data) ? sniffMediaType(parsed.data) : undefined;
  const decodes = actual?.startsWith("image/") === true && !isBroken(actual, parsed.data);
  const image = rules.mediaBytes ? decodes : isBase64(parsed.data);
  if (IMAGE_TYPES.includes(parsed.mediaType) && image) return [];
  return [issue(`${path}.url`, `Failed to decode image: unsupported or broken ${parsed.mediaType}`)];
}

export function issue(path: string, sentence: string): WireIssue {
  return { path, message: `${sentence}, field: '${fieldOf(path)}'` };
}

export function extraInput(path: string, value: JsonValue | undefined): WireIssue {
  const shown = JSON.stringify(value)?.slice(0, 60) ?? "None";
  return { path, message: `Extra inputs are not permitted, field: '${fieldOf(path)}', value: ${shown}` };
}

function fieldOf(path: string): string {
  return path.replace(/\.(\d+)(?=\.|$)/g, "[$1]");
}

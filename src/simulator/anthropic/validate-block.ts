/** One content block of a Messages request, looked at by itself. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { checkFields, type FieldRule } from "../field-check.js";
import type { WireIssue } from "../wire-issue.js";
import { issueAt, issuesFrom } from "./issues.js";
import type { AnthropicModel } from "./models.js";
import { signatureFits } from "./signature.js";
import { checkDocumentSource, checkImageSource, sourceOf } from "./validate-media.js";

export interface BlockPlace {
  /** `messages.0.content.1` */
  readonly path: string;
  readonly role: string;
  readonly model: AnthropicModel;
  /** Whether the bytes of media are looked at. */
  readonly mediaBytes: boolean;
}

const TOOL_ID = /^[a-zA-Z0-9_-]+$/;
const SERVER_TOOL_ID = /^srvtoolu_[a-zA-Z0-9_]+$/;
const SIGNATURE = /^[A-Za-z0-9+/_-]+={0,2}$/;

const FIELDS: Readonly<Record<string, Readonly<Record<string, FieldRule>>>> = {
  text: { type: "string", text: "string", cache_control: "object?", citations: "array?" },
  image: { type: "string", source: "object", cache_control: "object?", transformations: "object?" },
  document: {
    type: "string",
    source: "object",
    cache_control: "object?",
    citations: "object?",
    context: "string?",
    title: "string?",
  },
  search_result: {
    type: "string",
    source: "string",
    title: "string",
    content: "array",
    cache_control: "object?",
    citations: "object?",
  },
  thinking: { type: "string", thinking: "string", signature: "string" },
  redacted_thinking: { type: "string", data: "string" },
  tool_use: {
    type: "string",
    id: "string",
    name: "string",
    input: "object",
    cache_control: "object?",
    caller: "object?",
    toolset_name: "string?",
  },
  tool_result: {
    type: "string",
    tool_use_id: "string",
    content: "any?",
    is_error: "boolean?",
    cache_control: "object?",
    toolset_name: "string?",
  },
};
/** Run by the service itself; only their ids are looked at. */
const SERVER_BLOCKS: readonly string[] = [
  "server_tool_use",
  "web_search_tool_result",
  "web_fetch_tool_result",
  "code_execution_tool_result",
  "bash_code_execution_tool_result",
  "text_editor_code_execution_tool_result",
  "tool_search_tool_result",
];
const ASSISTANT_ONLY: readonly string[] = ["thinking", "redacted_thinking", "tool_use", ...SERVER_BLOCKS];
const USER_ONLY: readonly string[] = [
  "image",
  "document",
  "tool_result",
  "search_result",
  "container_upload",
];
const RESULT_CONTENT: readonly string[] = [
  "text",
  "image",
  "search_result",
  "document",
  "tool_reference",
  "browser_state",
];
const TAGS: readonly string[] = [...Object.keys(FIELDS), ...SERVER_BLOCKS, "container_upload"];

export function checkBlock(block: JsonValue, place: BlockPlace): readonly WireIssue[] {
  if (!isJsonObject(block)) return [issueAt(place.path, "Input should be a valid dictionary")];
  const type = String(block.type);
  if (!TAGS.includes(type)) return [unexpectedTag(place.path, block.type, TAGS)];
  const fields = FIELDS[type];
  const path = `${place.path}.${type}`;
  const shape = fields === undefined ? [] : issuesFrom(checkFields(block, path, fields));
  return shape.length > 0 ? shape : [...checkRole(type, place), ...checkByType(block, type, path, place)];
}

function checkRole(type: string, { role, path }: BlockPlace): readonly WireIssue[] {
  const misplaced = role === "assistant" ? USER_ONLY.includes(type) : ASSISTANT_ONLY.includes(type);
  const message = `\`${type}\` blocks can only be specified in \`${role === "assistant" ? "user" : "assistant"}\` messages`;
  return misplaced ? [issueAt(path, message)] : [];
}

function checkByType(block: JsonObject, type: string, path: string, place: BlockPlace): readonly WireIssue[] {
  switch (type) {
    case "text":
      return checkText(block, path);
    case "image":
      return checkImageSource(sourceOf(block) ?? {}, `${path}.source`, place.mediaBytes);
    case "document":
      return checkDocumentSource(sourceOf(block) ?? {}, `${path}.source`, place);
    case "thinking":
      return checkThinking(block, path, place);
    case "tool_use":
      return checkId(block.id, `${path}.id`, TOOL_ID);
    case "server_tool_use":
      return checkId(block.id, `${path}.id`, SERVER_TOOL_ID);
    case "tool_result":
      return [
        ...checkId(block.tool_use_id, `${path}.tool_use_id`, TOOL_ID),
        ...checkResult(block, path, place),
      ];
    default:
      return [];
  }
}

function checkText(block: JsonObject, path: string): readonly WireIssue[] {
  const text = String(block.text);
  if (text === "" && block.cache_control !== undefined && block.cache_control !== null) {
    return [issueAt(path, "cache_control cannot be set for empty text blocks")];
  }
  if (text === "") return [{ path, message: "messages: text content blocks must be non-empty" }];
  if (text.trim() !== "") return [];
  return [{ path, message: "messages: text content blocks must contain non-whitespace text" }];
}

function checkThinking(block: JsonObject, path: string, place: BlockPlace): readonly WireIssue[] {
  const signature = String(block.signature);
  const { name } = place.model;
  if (SIGNATURE.test(signature) && signatureFits(signature, String(block.thinking), name)) return [];
  return [
    { path: `${path}.signature`, message: `${place.path}: Invalid \`signature\` in \`thinking\` block` },
  ];
}

function checkId(id: JsonValue | undefined, path: string, pattern: RegExp): readonly WireIssue[] {
  if (typeof id === "string" && pattern.test(id)) return [];
  return [issueAt(path, `String should match pattern '${pattern.source}'`)];
}

function checkResult(block: JsonObject, path: string, place: BlockPlace): readonly WireIssue[] {
  const { content } = block;
  if (content === undefined || typeof content === "string") return [];
  if (!Array.isArray(content)) return [issueAt(`${path}.content`, "Input should be a valid array")];
  return content.flatMap((part: JsonValue, index) => {
    const partPath = `${path}.content.${index}`;
    const type = isJsonObject(part) ? String(part.type) : "";
    if (!RESULT_CONTENT.includes(type)) return [unexpectedTag(partPath, type, RESULT_CONTENT)];
    const own = FIELDS[type] === undefined ? [] : checkBlock(part, { ...place, path: partPath });
    return own;
  });
}

function unexpectedTag(path: string, found: unknown, expected: readonly string[]): WireIssue {
  const tags = expected.map((tag) => `'${tag}'`).join(", ");
  return issueAt(
    path,
    `Input tag '${String(found)}' found using 'type' does not match any of the expected tags: ${tags}`,
  );
}

/** What the Messages API refuses in a request. Pure; sources of the rules: docs, SDK types and issue reports. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { checkFields, type FieldRule } from "../field-check.js";
import { objectsIn } from "../request-facts.js";
import type { ValidationOptions } from "../wire.js";
import type { WireIssue } from "../wire-issue.js";
import { allBlocks, blocksIn, cacheMarks, inputTokens } from "./facts.js";
import { issueAt, issuesFrom } from "./issues.js";
import { type AnthropicModel, anthropicModel } from "./models.js";
import { checkToolRounds } from "./tool-rounds.js";
import { checkBlock } from "./validate-block.js";
import type { DocumentRules } from "./validate-media.js";
import { checkOutput } from "./validate-output.js";
import { checkParameters, checkTools } from "./validate-parameters.js";

const MAXIMUM_MESSAGES = 100_000;
const MAXIMUM_IMAGES = 100;
const MAXIMUM_CACHE_MARKS = 4;

const REQUEST: Readonly<Record<string, FieldRule>> = {
  model: "string",
  max_tokens: "integer",
  messages: "array",
  system: "any?",
  tools: "array?",
  tool_choice: "object?",
  thinking: "object?",
  stream: "boolean?",
  stop_sequences: "array?",
  temperature: "number?",
  top_p: "number?",
  top_k: "integer?",
  metadata: "object?",
  cache_control: "object?",
  container: "any?",
  context_management: "object?",
  diagnostics: "object?",
  inference_geo: "string?",
  mcp_servers: "array?",
  output_config: "object?",
  service_tier: "string?",
  speed: "string?",
  user_profile_id: "string?",
  workspace_id: "string?",
};

/** The issues of a body sent to `/v1/messages`, the one that the service would state first in front. */
export function validateAnthropicRequest(
  body: JsonValue,
  options: ValidationOptions = {},
): readonly WireIssue[] {
  if (!isJsonObject(body)) return [{ path: "", message: "Input should be a valid dictionary" }];
  const shape = issuesFrom(checkFields(body, "", REQUEST));
  if (shape.length > 0) return shape;
  const model = anthropicModel(String(body.model));
  if (model === undefined) {
    return [{ path: "model", message: `model: ${String(body.model)}`, status: 404, type: "not_found_error" }];
  }
  const mediaBytes = options.mediaBytes ?? true;
  const issues = [
    ...checkParameters(body, model),
    ...checkTools(body),
    ...checkOutput(body, model),
    ...checkSystem(body.system, { model, mediaBytes }),
    ...checkMessages(body, { model, mediaBytes }),
  ];
  return issues.length > 0 ? issues : [...checkWhole(body), ...checkLength(body, model, options)];
}

function checkSystem(system: JsonValue | undefined, rules: DocumentRules): readonly WireIssue[] {
  if (system === undefined || system === null || typeof system === "string") return [];
  if (!Array.isArray(system)) return [issueAt("system", "Input should be a valid array")];
  return system.flatMap((block: JsonValue, index) => {
    const path = `system.${index}`;
    const text = isJsonObject(block) && block.type === "text";
    return text
      ? checkBlock(block, { path, role: "system", ...rules })
      : [issueAt(path, "Input should be a text block")];
  });
}

function checkMessages(body: JsonObject, rules: DocumentRules): readonly WireIssue[] {
  const messages = Array.isArray(body.messages) ? (body.messages as readonly JsonValue[]) : [];
  if (messages.length === 0) {
    return [{ path: "messages", message: "messages: at least one message is required" }];
  }
  if (messages.length > MAXIMUM_MESSAGES) {
    return [issueAt("messages", `a maximum of ${MAXIMUM_MESSAGES} messages is allowed`)];
  }
  const each = messages.flatMap((message, index) => checkMessage(message, index, messages.length, rules));
  if (each.length > 0) return each;
  const objects = objectsIn(messages);
  const { model } = rules;
  const thinking = isJsonObject(body.thinking) && body.thinking.type === "enabled";
  return [...checkOrder(objects, model), ...checkToolRounds(objects, thinking), ...checkEnd(objects, model)];
}

function checkMessage(
  message: JsonValue,
  index: number,
  count: number,
  rules: DocumentRules,
): readonly WireIssue[] {
  const path = `messages.${index}`;
  if (!isJsonObject(message)) return [issueAt(path, "Input should be a valid dictionary")];
  const shape = issuesFrom(checkFields(message, path, { role: "string", content: "any" }));
  if (shape.length > 0) return shape;
  const { role, content } = message;
  if (role !== "user" && role !== "assistant" && !(role === "system" && rules.model.systemMessages)) {
    return [{ path: `${path}.role`, message: unexpectedRole(String(role)) }];
  }
  if (typeof content !== "string" && !Array.isArray(content)) {
    return [issueAt(`${path}.content`, "Input should be a valid array")];
  }
  if (content.length === 0) return checkEmptyMessage(path, role, index === count - 1);
  const blocks = typeof content === "string" ? blocksIn(content) : (content as readonly JsonValue[]);
  return blocks.flatMap((block, position) =>
    checkBlock(block, { path: `${path}.content.${position}`, role, ...rules }),
  );
}

function checkEmptyMessage(path: string, role: string, last: boolean): readonly WireIssue[] {
  if (last && role === "assistant") return [];
  return [
    issueAt(path, "all messages must have non-empty content except for the optional final assistant message"),
  ];
}

function unexpectedRole(role: string): string {
  return role === "system"
    ? 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.'
    : `messages: Unexpected role "${role}". Allowed roles are "user" or "assistant"`;
}

function checkOrder(messages: readonly JsonObject[], model: AnthropicModel): readonly WireIssue[] {
  if (messages[0]?.role !== "user") {
    return [{ path: "messages.0.role", message: 'messages: first message must use the "user" role' }];
  }
  if (!model.systemMessages) return [];
  return messages.flatMap(({ role }, index) => {
    if (role !== "system") return [];
    const before = messages[index - 1]?.role;
    const after = messages[index + 1]?.role;
    const allowed = before === "user" && (after === "assistant" || after === undefined);
    const message =
      "`system` messages must follow a `user` message and precede an `assistant` message or end the request";
    return allowed ? [] : [issueAt(`messages.${index}`, message)];
  });
}

function checkEnd(messages: readonly JsonObject[], model: AnthropicModel): readonly WireIssue[] {
  const last = messages.at(-1);
  const path = `messages.${messages.length - 1}`;
  if (last?.role !== "assistant") return [];
  if (!model.prefill) {
    const message =
      "This model does not support assistant message prefill. The conversation must end with a user message.";
    return [{ path, message }];
  }
  const text = blocksIn(last.content).at(-1)?.text;
  const trailing = typeof text === "string" && text !== text.trimEnd();
  return trailing
    ? [{ path, message: "messages: final assistant content cannot end with trailing whitespace" }]
    : [];
}

/** What is counted over the whole request. */
function checkWhole(body: JsonObject): readonly WireIssue[] {
  const marks = cacheMarks(body);
  const images = allBlocks(body).filter(({ type }) => type === "image").length;
  return [
    ...(marks > MAXIMUM_CACHE_MARKS
      ? [
          {
            path: "cache_control",
            message: `A maximum of ${MAXIMUM_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks}.`,
          },
        ]
      : []),
    ...(images > MAXIMUM_IMAGES
      ? [issueAt("messages", `too many images and documents: ${images} + 0 > ${MAXIMUM_IMAGES}`)]
      : []),
  ];
}

function checkLength(
  body: JsonObject,
  model: AnthropicModel,
  options: ValidationOptions,
): readonly WireIssue[] {
  const limit = options.contextTokens ?? model.contextTokens;
  const tokens = inputTokens(body);
  if (tokens <= limit) return [];
  return [{ path: "messages", message: `prompt is too long: ${tokens} tokens > ${limit} maximum` }];
}

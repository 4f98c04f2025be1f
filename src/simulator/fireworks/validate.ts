/** What Fireworks refuses in a Chat Completions request, and what any compatible server would. Pure. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { parseDataUrl } from "../data-url.js";
import { objectsIn } from "../request-facts.js";
import type { ValidationOptions } from "../wire.js";
import type { WireIssue } from "../wire-issue.js";
import { inputTokens, partsIn } from "./facts.js";
import { compatibleContextTokens, fireworksContextTokens } from "./models.js";
import { checkMessage, extraInput, issue, type MessageRules } from "./validate-message.js";
import { checkOutput } from "./validate-output.js";

const FIELDS: readonly string[] = [
  ...["model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options"],
  ...["max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "min_p", "typical_p", "n"],
  ...[
    "stop",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
    "mirostat_lr",
    "mirostat_target",
  ],
  ...[
    "logit_bias",
    "logprobs",
    "top_logprobs",
    "seed",
    "echo",
    "echo_last",
    "ignore_eos",
    "user",
    "metadata",
  ],
  ...["response_format", "reasoning_effort", "reasoning_history", "thinking", "prompt_truncate_len"],
  ...["context_length_exceeded_behavior", "speculation", "prediction", "perf_metrics_in_response"],
  ...["raw_output", "return_token_ids", "safe_tokenization", "service_tier", "prompt_cache_key"],
  ...["prompt_cache_isolation_key", "prompt_cache_max_len", "functions", "function_call"],
];
const MAXIMUM_IMAGES = 30;
const MAXIMUM_IMAGE_BYTES = 10_000_000;

/** The issues of a body sent to Fireworks, the one that the service would state first in front. */
export function validateFireworksRequest(
  body: JsonValue,
  options: ValidationOptions = {},
): readonly WireIssue[] {
  return validateChatRequest(body, options, { strict: true, mediaBytes: options.mediaBytes ?? true });
}

/** The issues of a body sent to an OpenAI-compatible server that is lenient about what it does not know. */
export function validateCompatibleRequest(
  body: JsonValue,
  options: ValidationOptions = {},
): readonly WireIssue[] {
  return validateChatRequest(body, options, { strict: false, mediaBytes: false });
}

function validateChatRequest(
  body: JsonValue,
  options: ValidationOptions,
  rules: MessageRules,
): readonly WireIssue[] {
  if (!isJsonObject(body)) return [{ path: "", message: "Input should be a valid dictionary" }];
  if (rules.strict) {
    const extra = Object.keys(body).filter((key) => !FIELDS.includes(key));
    if (extra.length > 0) return extra.map((key) => extraInput(key, body[key]));
  }
  if (typeof body.model !== "string") return [issue("model", "Field required")];
  const context = rules.strict ? fireworksContextTokens(body.model) : compatibleContextTokens(body.model);
  if (context === undefined) {
    const message = "Model not found, inaccessible, and/or not deployed";
    return [{ path: "model", message, status: 404, code: "NOT_FOUND" }];
  }
  const issues = [
    ...checkMessages(body, rules),
    ...checkTools(body),
    ...checkOutput(body),
    ...checkParameters(body),
  ];
  if (issues.length > 0) return issues;
  const limit = options.contextTokens ?? context;
  const tokens = inputTokens(body);
  if (tokens <= limit) return [];
  return [
    {
      path: "messages",
      message: `The prompt is too long: ${tokens}, model maximum context length: ${limit}`,
    },
  ];
}

function checkMessages(body: JsonObject, rules: MessageRules): readonly WireIssue[] {
  if (!Array.isArray(body.messages)) return [issue("messages", "Field required")];
  const messages = body.messages as readonly JsonValue[];
  if (messages.length === 0) return [issue("messages", "messages must not be empty")];
  const each = messages.flatMap((message, index) => checkMessage(message, `messages.${index}`, rules));
  if (each.length > 0) return each;
  const objects = objectsIn(messages);
  return [
    ...checkRounds(objects),
    ...(rules.strict ? [...checkSystemFirst(objects), ...checkImages(objects)] : []),
  ];
}

/** Chat templates of several models know a system message only at the beginning. */
function checkSystemFirst(messages: readonly JsonObject[]): readonly WireIssue[] {
  return messages.flatMap(({ role }, index) =>
    role === "system" && index > 0
      ? [issue(`messages.${index}.role`, "System message must be at the beginning")]
      : [],
  );
}

/** Results stand right after the message that called, one each; ids may return in a later round. */
function checkRounds(messages: readonly JsonObject[]): readonly WireIssue[] {
  const issues: WireIssue[] = [];
  let open = new Set<string>();
  let answered = new Set<string>();
  for (const [index, message] of [...messages, undefined].entries()) {
    const path = `messages.${index}`;
    const id = String(message?.tool_call_id);
    if (message?.role === "tool") {
      if (answered.has(id))
        issues.push({ path, message: `Duplicate tool message for tool_call_id '${id}'.` });
      else if (!open.delete(id)) issues.push({ path, message: STRAY_RESULT });
      answered.add(id);
      continue;
    }
    if (open.size > 0) issues.push({ path, message: unanswered([...open]) });
    const ids = objectsIn(message?.tool_calls).map((call) => String(call.id));
    open = new Set(ids);
    answered = new Set();
    if (open.size < ids.length) issues.push({ path, message: "Duplicate ids in tool_calls." });
  }
  return issues;
}

const STRAY_RESULT = "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";

function unanswered(ids: readonly string[]): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`;
}

function checkImages(messages: readonly JsonObject[]): readonly WireIssue[] {
  const urls = messages
    .flatMap(({ content }) => partsIn(content))
    .flatMap(({ image_url: image }) =>
      isJsonObject(image) && typeof image.url === "string" ? [image.url] : [],
    );
  const bytes = urls.reduce((sum, url) => sum + (parseDataUrl(url)?.data.length ?? 0), 0);
  return [
    ...(urls.length > MAXIMUM_IMAGES
      ? [issue("messages", `At most ${MAXIMUM_IMAGES} images are allowed, found ${urls.length}`)]
      : []),
    ...(bytes > MAXIMUM_IMAGE_BYTES
      ? [issue("messages", "The total size of base64 images must be less than 10 MB")]
      : []),
  ];
}

function checkTools(body: JsonObject): readonly WireIssue[] {
  if (body.tools === undefined || body.tools === null) return [];
  if (!Array.isArray(body.tools)) return [issue("tools", "Input should be a valid array")];
  return (body.tools as readonly JsonValue[]).flatMap((tool, index) => {
    const path = `tools.${index}`;
    const called = isJsonObject(tool) ? tool.function : undefined;
    if (!isJsonObject(tool) || tool.type !== "function")
      return [issue(`${path}.type`, "Input should be 'function'")];
    if (!isJsonObject(called) || typeof called.name !== "string") {
      return [issue(`${path}.function.name`, "Field required")];
    }
    if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(called.name)) {
      return [issue(`${path}.function.name`, "String should match pattern '^[a-zA-Z0-9_.-]{1,64}$'")];
    }
    const { parameters } = called;
    const object = parameters === undefined || (isJsonObject(parameters) && parameters.type === "object");
    return object ? [] : [issue(`${path}.function.parameters`, "JSON Schema of type 'object' expected")];
  });
}

function checkParameters({ temperature, max_tokens: maximum }: JsonObject): readonly WireIssue[] {
  const hot = typeof temperature === "number" && (temperature < 0 || temperature > 2);
  return [
    ...(hot ? [issue("temperature", "Input should be between 0 and 2")] : []),
    ...(typeof maximum === "number" && maximum < 1
      ? [issue("max_tokens", "Input should be greater than 0")]
      : []),
  ];
}

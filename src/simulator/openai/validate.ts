/** What the Responses API refuses in a request. Pure. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { type FieldType, isOfType } from "../field-check.js";
import { objectsIn } from "../request-facts.js";
import type { ValidationOptions } from "../wire.js";
import type { WireIssue } from "../wire-issue.js";
import { inputTokens } from "./facts.js";
import { invalid, invalidType, missing, unknownParameter } from "./issues.js";
import { checkPairs } from "./item-pairs.js";
import { itemsIn, partsIn } from "./items.js";
import { openaiModel } from "./models.js";
import { checkItem } from "./validate-items.js";
import { checkOutput } from "./validate-output.js";
import { checkTools } from "./validate-tools.js";

const MAXIMUM_BREAKPOINTS = 4;
const MINIMUM_OUTPUT = 16;

const PARAMETERS: Readonly<Record<string, FieldType>> = {
  model: "string",
  input: "any",
  instructions: "string",
  tools: "array",
  tool_choice: "any",
  stream: "boolean",
  store: "boolean",
  include: "array",
  reasoning: "object",
  text: "object",
  temperature: "number",
  top_p: "number",
  top_logprobs: "integer",
  max_output_tokens: "integer",
  max_tool_calls: "integer",
  parallel_tool_calls: "boolean",
  previous_response_id: "string",
  conversation: "any",
  metadata: "object",
  truncation: "string",
  user: "string",
  service_tier: "string",
  safety_identifier: "string",
  prompt: "object",
  prompt_cache_key: "string",
  prompt_cache_options: "object",
  prompt_cache_retention: "string",
  stream_options: "object",
  background: "boolean",
  background_options: "object",
  context_management: "array",
  moderation: "object",
  image: "object",
  access_programs: "any",
};

/** The issues of a body sent to `/v1/responses`, the one that the service would state first in front. */
export function validateOpenaiRequest(
  body: JsonValue,
  options: ValidationOptions = {},
): readonly WireIssue[] {
  if (!isJsonObject(body)) return [invalidType("body", "an object", body)];
  const shape = checkParameters(body);
  if (shape.length > 0) return shape;
  const name = String(body.model);
  const model = openaiModel(name);
  if (model === undefined) {
    const message = `The model '${name}' does not exist or you do not have access to it.`;
    return [{ path: "model", message, status: 404, code: "model_not_found" }];
  }
  const issues = [
    ...checkInput(body, options.mediaBytes ?? true),
    ...checkTools(body),
    ...checkOutput(body),
    ...checkState(body),
  ];
  if (issues.length > 0) return issues;
  const limit = options.contextTokens ?? model.contextTokens;
  if (inputTokens(body) <= limit) return [];
  const message =
    "Your input exceeds the context window of this model. Please adjust your input and try again.";
  return [{ path: "input", message, code: "context_length_exceeded" }];
}

function checkParameters(body: JsonObject): readonly WireIssue[] {
  const given = Object.entries(body).filter(([, value]) => value !== undefined && value !== null);
  const wrong = given.flatMap(([key, value]) => {
    const type = PARAMETERS[key];
    if (type === undefined) return [unknownParameter(key)];
    return value === undefined || isOfType(value, type)
      ? []
      : [invalidType(key, `a value of type ${type}`, value)];
  });
  if (wrong.length > 0) return wrong;
  if (body.model === undefined || body.model === null) return [missing("model")];
  const { temperature, max_output_tokens: maximum } = body;
  return [
    ...(typeof temperature === "number" && (temperature < 0 || temperature > 2)
      ? [
          invalid(
            "temperature",
            `decimal out of range. Expected a value between 0 and 2, but got ${temperature} instead.`,
            "decimal_out_of_range",
          ),
        ]
      : []),
    ...(typeof maximum === "number" && maximum < MINIMUM_OUTPUT
      ? [
          invalid(
            "max_output_tokens",
            `integer below minimum value. Expected a value >= ${MINIMUM_OUTPUT}, but got ${maximum} instead.`,
            "integer_below_min_value",
          ),
        ]
      : []),
  ];
}

function checkInput(body: JsonObject, mediaBytes: boolean): readonly WireIssue[] {
  const { input } = body;
  if (input === undefined || input === null || (Array.isArray(input) && input.length === 0)) {
    const message =
      "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.";
    return [{ path: "input", message, code: "missing_required_parameter" }];
  }
  if (typeof input === "string") return [];
  if (!Array.isArray(input)) return [invalidType("input", "one of a string or array of objects", input)];
  const rules = { stored: body.store !== false, mediaBytes };
  const each = (input as readonly JsonValue[]).flatMap((item, index) =>
    checkItem(item, `input.${index}`, rules),
  );
  return each.length > 0 ? each : [...checkPairs(itemsIn(input)), ...checkBreakpoints(body)];
}

/** Nothing that an earlier call stored is known here, as to any service that did not store it. */
function checkState(body: JsonObject): readonly WireIssue[] {
  if (typeof body.previous_response_id === "string") {
    const message = `Previous response with id '${body.previous_response_id}' not found.`;
    return [{ path: "previous_response_id", message, code: "previous_response_not_found" }];
  }
  if (body.conversation === undefined || body.conversation === null) return [];
  const id = isJsonObject(body.conversation) ? body.conversation.id : body.conversation;
  const message = `Conversation with id '${String(id)}' not found.`;
  return [{ path: "conversation", message, status: 404, code: null }];
}

function checkBreakpoints(body: JsonObject): readonly WireIssue[] {
  const parts = objectsIn(body.input).flatMap(({ content, output }) => [
    ...partsIn(content),
    ...partsIn(output),
  ]);
  const count = parts.filter((part) => part.prompt_cache_breakpoint !== undefined).length;
  if (count <= MAXIMUM_BREAKPOINTS) return [];
  const message = `At most ${MAXIMUM_BREAKPOINTS} explicit prompt cache breakpoints may be provided. Found ${count}.`;
  return [{ path: "input", message, code: "invalid_value" }];
}

/** The parameters and tools of a Messages request. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { objectsIn } from "../request-facts.js";
import type { WireIssue } from "../wire-issue.js";
import { issueAt } from "./issues.js";
import type { AnthropicModel } from "./models.js";

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MINIMUM_THINKING = 1_024;
const THINKING_TYPES: readonly string[] = ["enabled", "disabled", "between_tools", "adaptive"];

export function checkParameters(body: JsonObject, model: AnthropicModel): readonly WireIssue[] {
  const { max_tokens: maximum, temperature, thinking } = body;
  return [
    ...(Number(maximum) < 1 ? [issueAt("max_tokens", "Input should be greater than or equal to 1")] : []),
    ...(typeof temperature === "number" && (temperature < 0 || temperature > 1)
      ? [issueAt("temperature", "range: 0..1")]
      : []),
    ...(isJsonObject(thinking) ? checkThinking(thinking, body, model) : []),
  ];
}

function checkThinking(thinking: JsonObject, body: JsonObject, model: AnthropicModel): readonly WireIssue[] {
  if (typeof thinking.type !== "string" || !THINKING_TYPES.includes(thinking.type)) {
    const tags = THINKING_TYPES.map((type) => `'${type}'`).join(", ");
    const message = `Input tag '${String(thinking.type)}' found using 'type' does not match any of the expected tags: ${tags}`;
    return [issueAt("thinking", message)];
  }
  if (thinking.type === "adaptive" && !model.adaptiveThinking) {
    return [{ path: "thinking", message: "adaptive thinking is not supported on this model" }];
  }
  return thinking.type === "enabled" ? checkEnabledThinking(thinking, body) : [];
}

function checkEnabledThinking(thinking: JsonObject, body: JsonObject): readonly WireIssue[] {
  const budget = thinking.budget_tokens;
  const path = "thinking.enabled.budget_tokens";
  if (typeof budget !== "number") return [issueAt(path, "Field required")];
  if (budget < MINIMUM_THINKING) {
    return [issueAt(path, `Input should be greater than or equal to ${MINIMUM_THINKING}`)];
  }
  if (Number(body.max_tokens) <= budget) {
    return [{ path: "max_tokens", message: "`max_tokens` must be greater than `thinking.budget_tokens`." }];
  }
  if (body.temperature !== undefined && body.temperature !== 1) {
    const message = "`temperature` may only be set to 1 when thinking is enabled.";
    return [{ path: "temperature", message }];
  }
  const choice = isJsonObject(body.tool_choice) ? body.tool_choice.type : undefined;
  const forced = choice === "any" || choice === "tool";
  return forced
    ? [{ path: "tool_choice", message: "Thinking may not be enabled when tool_choice forces tool use." }]
    : [];
}

export function checkTools(body: JsonObject): readonly WireIssue[] {
  const tools = Array.isArray(body.tools) ? (body.tools as readonly JsonValue[]) : [];
  const names = objectsIn(tools).map(({ name }) => name);
  const repeated = names.some((name, index) => name !== undefined && names.indexOf(name) !== index);
  return [
    ...tools.flatMap(checkTool),
    ...(repeated ? [{ path: "tools", message: "tools: Tool names must be unique." }] : []),
    ...checkChoice(body.tool_choice, names),
  ];
}

function checkTool(tool: JsonValue, index: number): readonly WireIssue[] {
  if (!isJsonObject(tool)) return [issueAt(`tools.${index}`, "Input should be a valid dictionary")];
  // Tools that the service itself defines carry a dated type and their own fields.
  if (tool.type !== undefined && tool.type !== null && tool.type !== "custom") return [];
  const path = `tools.${index}.custom`;
  const { name, input_schema: schema } = tool;
  if (typeof name !== "string") return [issueAt(`${path}.name`, "Field required")];
  if (!TOOL_NAME.test(name)) {
    return [issueAt(`${path}.name`, `String should match pattern '${TOOL_NAME.source}'`)];
  }
  if (!isJsonObject(schema)) return [issueAt(`${path}.input_schema`, "Field required")];
  return schema.type === "object" ? [] : [issueAt(`${path}.input_schema.type`, "Input should be 'object'")];
}

function checkChoice(choice: JsonValue | undefined, names: readonly unknown[]): readonly WireIssue[] {
  if (!isJsonObject(choice)) return [];
  if (choice.type === "tool" && !names.includes(choice.name)) {
    const message = `Tool '${String(choice.name)}' not found in provided tools`;
    return [{ path: "tool_choice.name", message }];
  }
  if (choice.type !== "none" && names.length === 0) {
    return [issueAt("tool_choice", "tool_choice may only be specified while providing tools")];
  }
  return [];
}

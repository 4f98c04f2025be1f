/** The agent of an envelope, checked. */
import { type AgentSpec, type SendWindow, TOOL_NAME, type ToolSpec } from "../agent.js";
import { checkBudget } from "../budget.js";
import { checkPrices } from "../prices.js";
import {
  type Check,
  count,
  is,
  jsonObject,
  listOf,
  nonEmptyText,
  nullable,
  oneOf,
  optional,
  outputSchema,
  positive,
  shape,
  text,
} from "./check.js";

const tool = shape<ToolSpec>({
  name: is("1 to 64 of A-Z a-z 0-9 _ -", (value) => typeof value === "string" && TOOL_NAME.test(value)),
  description: optional(text),
  input_schema: optional(jsonObject),
});

const agentSpec = shape<AgentSpec>({
  name: optional(nonEmptyText),
  model: nonEmptyText,
  instructions: text,
  tools: listOf(tool),
  params: jsonObject,
  media_policy: optional(oneOf(["auto", "inline", "externalize", "strip"])),
  media_store: optional(nonEmptyText),
  media_max_inline_bytes: optional(nullable(count)),
  output_schema: optional(outputSchema),
  send_window: optional(shape<SendWindow>({ turns: optional(positive), input_tokens: optional(positive) })),
  budget: optional(checkBudget),
  prices: optional(checkPrices),
});

/** A name or a whole definition, or null. */
export const checkAgent: Check = (value, path) => {
  if (value === null) return [];
  return typeof value === "string" ? nonEmptyText(value, path) : agentSpec(value, path);
};

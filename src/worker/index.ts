/**
 * Workers of conversations.
 *
 * @module holdfast/worker
 */
export type { TurnBounds } from "../activities/dependencies.js";
export { defineTool, type ToolDefinition } from "../activities/tools/define-tool.js";
export { failTurn, TurnFailedByTool } from "../activities/tools/fail-turn.js";
export type { Tool, ToolContext, ToolRetry } from "../activities/tools/tool.js";
export type { ToolFile } from "../activities/tools/tool-output.js";
export { Agent, type AgentOptions } from "../core/agent.js";
export type { JsonOutput, OutputOption } from "../core/output-schema.js";
export type { StandardSchema } from "../core/standard-schema.js";
export { type CreateWorkerOptions, createWorker, type HoldfastWorker } from "./create-worker.js";
export { HoldfastPlugin, type HoldfastPluginOptions } from "./holdfast-plugin.js";

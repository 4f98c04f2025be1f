/**
 * Workers of conversations.
 *
 * @module holdfast/worker
 */
export type { TurnBounds } from "../activities/dependencies.js";
export { Agent, type AgentOptions } from "../core/agent.js";
export { type CreateWorkerOptions, createWorker, type HoldfastWorker } from "./create-worker.js";
export { HoldfastPlugin, type HoldfastPluginOptions } from "./holdfast-plugin.js";

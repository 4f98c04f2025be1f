/**
 * For workflows of your own: the conversation as a child, and questions to it. Your workflows import from here; a worker with
 * HoldfastPlugin brings the workflow itself.
 *
 * @module holdfast/workflows
 */
export { Agent, type AgentOptions } from "../core/agent.js";
export type { TurnEnded, TurnResult, TurnView } from "../core/conversation/messages.js";
export type { JsonOutput, OutputOption } from "../core/output-schema.js";
export type { StandardSchema } from "../core/standard-schema.js";
export { type AskedConversation, type AskOptions, askConversation } from "./ask-conversation.js";
export { conversation } from "./conversation.js";
export {
  type ConversationInput,
  type ConversationInputOptions,
  conversationInput,
} from "./conversation-input.js";

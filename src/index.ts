/** Conversations with language models that survive anything. @module holdfast */
export type { AttachedFile, NamedFile } from "./client/attach-files.js";
export type { GarbageOptions, GarbageReport } from "./client/collect-garbage.js";
export type { ConnectOptions } from "./client/connect-options.js";
export { Conversation } from "./client/conversation.js";
export type * from "./client/conversation-options.js";
export { Conversations } from "./client/conversations.js";
export type { ConversationSummary } from "./client/list-conversations.js";
export type { PreviewOptions, RebindOptions } from "./client/rebind-request.js";
export type { RunResult } from "./client/run-result.js";
export { Turn } from "./client/turn.js";
export { Agent, type AgentOptions, type AgentSpec, type ToolSpec } from "./core/agent.js";
export type { Frame } from "./core/conversation/frame.js";
export type * from "./core/envelope/envelope.js";
export * from "./core/errors/errors.js";

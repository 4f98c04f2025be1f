/** The activities of a worker, over what it was configured with. */
import type { ConversationActivities } from "../core/conversation/activity-contract.js";
import { callModel } from "./call-model.js";
import { confirmMove } from "./confirm-move.js";
import { convertConversation, previewConversion } from "./convert-conversation.js";
import type { ActivityDependencies } from "./dependencies.js";
import { checkpoint, keepEnvelope } from "./keep-envelope.js";
import { readSpent } from "./read-spent.js";
import { resolveAgent } from "./resolve-agent.js";
import { tellStopped } from "./tell-stopped.js";
import { callTool } from "./tools/call-tool.js";
import { checkArguments } from "./tools/check-arguments.js";
import { tellDenied } from "./tools/tell-denied.js";

export function createActivities(dependencies: ActivityDependencies): ConversationActivities {
  return {
    callModel: (input) => callModel(dependencies, input),
    callTool: (input) => callTool(dependencies, input),
    tellDenied: (input) => tellDenied(dependencies, input),
    checkArguments: (input) => checkArguments(dependencies, input),
    readSpent: (input) => readSpent(input),
    tellStopped: (input) => tellStopped(dependencies, input),
    checkpoint: (input) => checkpoint(dependencies, input),
    resolveAgent: (input) => resolveAgent(dependencies, input),
    convertConversation: (input) => convertConversation(dependencies, input),
    previewConversion: (input) => previewConversion(dependencies, input),
    keepEnvelope: (input) => keepEnvelope(dependencies, input),
    confirmMove,
  };
}

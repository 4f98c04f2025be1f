/** What stands around the call of an adapter: every failure classified, and reasoning that went stale left out once. */
import type { NativeMessage } from "../core/envelope/envelope.js";
import type { ProviderName } from "../core/providers.js";
import { type FailureContext, toProviderFailure } from "./failure.js";
import type {
  ModelCallHooks,
  ModelProvider,
  ModelReply,
  ModelRequest,
  ProviderEndpoint,
} from "./provider.js";
import { isStaleReasoning } from "./stale-reasoning.js";

export type Call = (
  request: ModelRequest,
  hooks: ModelCallHooks,
  context: FailureContext,
) => Promise<ModelReply>;

/** An adapter whose call throws nothing but ProviderFailure and, once aborted, the signal's reason. */
export function classifiedProvider(
  provider: ProviderName,
  { apiKey, simulated }: ProviderEndpoint,
  call: Call,
): ModelProvider {
  return {
    async call(request, hooks) {
      const { signal } = hooks;
      const context: FailureContext = { provider, model: request.model, signal, apiKey, simulated };
      try {
        hooks.signal.throwIfAborted();
        return await call(request, hooks, context);
      } catch (error) {
        throw toProviderFailure(error, context);
      }
    },
  };
}

/** The call, without what another model has bound to itself; the history that was handed over stays as it is. */
export function leavingOutForeign(
  call: Call,
  leaveOut: (messages: readonly NativeMessage[], foreign: ReadonlySet<number>) => readonly NativeMessage[],
): Call {
  return ({ foreign, ...request }, hooks, context) => {
    const messages = foreign === undefined ? request.messages : leaveOut(request.messages, foreign);
    return call({ ...request, messages }, hooks, context);
  };
}

/**
 * The call, made once more without the reasoning that `lighten` takes away, where the service refuses that reasoning:
 * other instructions, a shorter history or another organisation must not end a conversation.
 */
export function retryingStaleReasoning(
  call: Call,
  lighten: (messages: readonly NativeMessage[]) => readonly NativeMessage[],
): Call {
  return async (request, hooks, context) => {
    try {
      return await call(request, hooks, context);
    } catch (error) {
      const messages = lighten(request.messages);
      if (messages === request.messages || !isStaleReasoning(error)) throw error;
      return call({ ...request, messages }, hooks, context);
    }
  };
}

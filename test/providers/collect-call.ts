/** Calls an adapter and keeps what it reported on the way. */
import type { ModelProvider, ModelReply, ModelRequest } from "../../src/providers/provider.js";

export interface CollectedCall {
  readonly reply: ModelReply;
  readonly text: string;
  readonly reasoning: string;
}

export function modelRequest(
  overrides: Partial<ModelRequest> & Pick<ModelRequest, "model" | "messages">,
): ModelRequest {
  return { instructions: "", system: null, tools: [], params: {}, ...overrides };
}

export async function collectCall(
  provider: ModelProvider,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<CollectedCall> {
  let text = "";
  let reasoning = "";
  const reply = await provider.call(request, {
    signal,
    onText: (piece) => {
      text += piece;
    },
    onReasoning: (piece) => {
      reasoning += piece;
    },
  });
  return { reply, text, reasoning };
}

/** What the call fails with. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => {
      throw new Error("The call did not fail.");
    },
    (error: unknown) => error,
  );
}

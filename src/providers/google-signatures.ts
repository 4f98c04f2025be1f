/** Thought signatures are bound to the model that made them: what a request to another one has in their place. */
import { isStandIn, STAND_IN_SIGNATURE } from "../core/dialects/google/stand-in-signature.js";
import { asContent, type Part } from "../core/dialects/google/wire.js";
import type { NativeMessage } from "../core/envelope/envelope.js";

/**
 * The history without thoughts and signatures of other models. A call that was signed gets the documented stand-in, for
 * Gemini 3 refuses an unsigned one; a content of which nothing is left goes as a whole, since an empty one is refused.
 */
export function withoutForeignSignatures(
  messages: readonly NativeMessage[],
  foreign: ReadonlySet<number>,
): readonly NativeMessage[] {
  return messages.flatMap((message, index) => {
    const content = foreign.has(index) ? asContent(message) : undefined;
    if (content === undefined) return [message];
    const parts = content.parts.flatMap(unbound);
    if (parts.length === 0 && content.parts.length > 0) return [];
    const isChanged =
      parts.length < content.parts.length || parts.some((part, at) => part !== content.parts[at]);
    return [isChanged ? { ...message, parts } : message];
  });
}

/** What of a part is not bound to its model. */
function unbound(part: Part): readonly Part[] {
  const { thoughtSignature: signature, ...bare } = part;
  if (part.thought === true && !part.functionCall) return [];
  if (typeof signature !== "string" || isStandIn(signature)) return [part];
  if (part.functionCall) return [{ ...bare, thoughtSignature: STAND_IN_SIGNATURE }];
  return isEmpty(bare) ? [] : [bare];
}

/** Streams end with a signature on a part whose text is empty; without the signature nothing may stand there. */
function isEmpty(part: Part): boolean {
  return Object.entries(part).every(
    ([name, value]) => value === null || name === "thought" || (name === "text" && value === ""),
  );
}

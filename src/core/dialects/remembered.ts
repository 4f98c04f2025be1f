/** A look at a message that is taken once: histories are never changed in place, and every turn looks at all of theirs. */
import type { NativeMessage } from "../envelope/envelope.js";

/** `look` with its answers remembered by the message itself, for as long as anybody holds it. */
export function remembered<Answer extends boolean | number>(
  look: (message: NativeMessage) => Answer,
): (message: NativeMessage) => Answer {
  const known = new WeakMap<NativeMessage, Answer>();
  return (message) => {
    const before = known.get(message);
    if (before !== undefined) return before;
    const answer = look(message);
    // What only claims to be a message may be no object at all.
    if (typeof message === "object" && message !== null) known.set(message, answer);
    return answer;
  };
}

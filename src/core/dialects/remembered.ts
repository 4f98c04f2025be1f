/** A look at a message that is taken once: histories are never changed in place, and every turn looks at all of theirs. */
import type { NativeMessage } from "../envelope/envelope.js";

/** `fits` with its answers remembered by the message itself, for as long as anybody holds it. */
export function remembered(fits: (message: NativeMessage) => boolean): (message: NativeMessage) => boolean {
  const known = new WeakMap<NativeMessage, boolean>();
  return (message) => {
    const before = known.get(message);
    if (before !== undefined) return before;
    const answer = fits(message);
    // What only claims to be a message may be no object at all.
    if (typeof message === "object" && message !== null) known.set(message, answer);
    return answer;
  };
}

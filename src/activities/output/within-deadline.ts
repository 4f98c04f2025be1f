/** Work whose length a stranger decides, cut off when it has taken its time. */
import { createContext, Script } from "node:vm";

export class OverDeadlineError extends Error {
  constructor(ms: number) {
    super(`it takes more than ${ms} ms`);
  }
}

const held: { work: () => void } = { work: () => undefined };
const context = createContext(held);
const script = new Script("work()");

/**
 * What `work` returns. Node stops it wherever it is, also within a regular expression, so it must change nothing that
 * outlives it.
 *
 * @throws what `work` throws, and OverDeadlineError.
 */
export function withinDeadline<Value>(ms: number, work: () => Value): Value {
  const done: { value?: { readonly of: Value } } = {};
  held.work = () => {
    done.value = { of: work() };
  };
  try {
    script.runInContext(context, { timeout: ms });
  } catch (error) {
    throw isTimeout(error) ? new OverDeadlineError(ms) : error;
  } finally {
    held.work = () => undefined;
  }
  if (done.value === undefined) throw new OverDeadlineError(ms);
  return done.value.of;
}

/** It is of no class that is known here: Node makes it in the other context. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}

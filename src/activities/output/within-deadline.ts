/** Work whose length a stranger decides, done on the loop that beats, and cut off there. */
import { createContext, Script } from "node:vm";

/** How long the loop may stand still. */
export const DEADLINE_MS = 250;
/** A process that the system has put aside is over the deadline as well: once may be chance. */
const TRIES = 2;

export class OverDeadlineError extends Error {
  constructor() {
    super(`it takes more than ${DEADLINE_MS} ms`);
  }
}

const held: { work: () => void } = { work: () => undefined };
const context = createContext(held);
const script = new Script("work()");

/**
 * What `work` returns. It may be begun twice, so it must change nothing that outlives it; Node stops it wherever it is, also
 * within a regular expression.
 *
 * @throws what `work` throws, and OverDeadlineError.
 */
export function withinDeadline<Value>(work: () => Value): Value {
  for (let tries = 1; ; tries += 1) {
    try {
      return runOnce(work);
    } catch (error) {
      if (!isTimeout(error)) throw error;
      if (tries === TRIES) throw new OverDeadlineError();
    }
  }
}

function runOnce<Value>(work: () => Value): Value {
  const done: { value?: { readonly of: Value } } = {};
  held.work = () => {
    done.value = { of: work() };
  };
  try {
    script.runInContext(context, { timeout: DEADLINE_MS });
  } finally {
    held.work = () => undefined;
  }
  if (done.value === undefined) throw new OverDeadlineError();
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
